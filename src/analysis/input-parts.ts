/** The parts of an input whose records several servers wrote, as the envelopes around them tell: one input each, of the same name. */
import type { SenderName } from '../formats/index.js';
import type { InputRef } from '../model/origin.js';

/** More than any input has parts. */
const PARTS = 1024;

export class InputParts {
  readonly #parts: InputRef[];

  /** Whose input the user has named is that server's as a whole. */
  constructor(readonly input: InputRef) {
    this.#parts = [input];
  }

  /**
   * For each of some records the input it belongs to; undefined when all belong to the input itself. `senderOf` numbers
   * their senders among `senders`, of which the first is nobody.
   */
  of(senderOf: readonly number[] | undefined, senders: readonly SenderName[]): readonly InputRef[] | undefined {
    if (senderOf === undefined || this.input.server !== undefined) return undefined;
    for (let at = this.#parts.length; at < senders.length; at += 1)
      this.#parts.push(partOf(this.input, at, senders[at]));
    return senderOf.map((number) => this.#parts[number] ?? this.input);
  }
}

/** Its number is between those of its input and of the next one, so that inputs keep their order. */
function partOf(input: InputRef, number: number, sender: SenderName | undefined): InputRef {
  const { writer = '', cluster = '' } = sender ?? {};
  const named = input.cluster ?? cluster;
  return {
    ...input,
    id: input.id + number / PARTS,
    of: input,
    ...(writer === '' ? {} : { writer }),
    ...(named === '' ? {} : { cluster: named }),
  };
}
