/** Records that were read again, by the input as a whole: it was given twice, whoever wrote it. */
import type { InputRef } from '../model/origin.js';

export class Duplicates {
  readonly #counts = new Map<InputRef, { events: number; lines: number }>();

  event(input: InputRef): void {
    this.#of(input).events += 1;
  }

  /** A line of a process log. */
  line(input: InputRef): void {
    this.#of(input).lines += 1;
  }

  /** Events and lines together; 0 for an input without any. */
  get(input: InputRef): number {
    const counts = this.#counts.get(input);
    return counts === undefined ? 0 : counts.events + counts.lines;
  }

  entries(): Iterable<readonly [InputRef, { readonly events: number; readonly lines: number }]> {
    return this.#counts;
  }

  #of(input: InputRef): { events: number; lines: number } {
    const whole = input.of ?? input;
    const known = this.#counts.get(whole);
    if (known !== undefined) return known;
    const counts = { events: 0, lines: 0 };
    this.#counts.set(whole, counts);
    return counts;
  }
}
