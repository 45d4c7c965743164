/** Reads one input: bytes from its source, decompressed and decoded in this thread, batch by batch, with its counters. */
import { createFastDecoder, decompress, RecordDecoder } from '../formats/index.js';
import type { InputRef } from '../model/origin.js';
import type { AuditEvent, ProblemReason, Rec } from '../model/record.js';
import { readSource, type Source } from '../sources/index.js';
import { InputParts } from './input-parts.js';
import type { RecordReader } from './record-reader.js';

/** One for the program: its tables of values seen before serve all inputs. */
const AUDIT = createFastDecoder();

/** Reads an event again from its place in a chunk; undefined when there is none. */
export function reread(
  bytes: Buffer,
  start: number,
  end: number,
  line: number,
  offset: number,
): AuditEvent | undefined {
  const told = AUDIT.decode(bytes, start, end, line, offset);
  return typeof told === 'string' ? undefined : told;
}

export class InputReader implements RecordReader {
  /** Bytes taken from the source, as stored. */
  rawBytes = 0;
  inputs: readonly InputRef[] | undefined;
  readonly #decoder: RecordDecoder;
  readonly #parts: InputParts;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #other = new Map<ProblemReason, number>();
  #ended = false;

  constructor(
    readonly input: InputRef,
    readonly source: Source,
    onBytes: (count: number) => void = () => {},
  ) {
    this.#decoder = new RecordDecoder(input, { audit: AUDIT });
    this.#parts = new InputParts(input);
    const problem = (reason: ProblemReason) => {
      this.#other.set(reason, (this.#other.get(reason) ?? 0) + 1);
    };
    const counted = counting(readSource(source, problem), (count) => {
      this.rawBytes += count;
      onBytes(count);
    });
    this.#chunks = decompress(counted, problem)[Symbol.asyncIterator]();
  }

  /** The next records, possibly none; undefined after the last. */
  async next(): Promise<Rec[] | undefined> {
    if (this.#ended) return undefined;
    const { value, done } = await this.#chunks.next();
    if (done !== true) return this.#given(this.#decoder.feed(value));
    this.#ended = true;
    return this.#given(this.#decoder.finish());
  }

  /** Records that only wait for a possible continuation line; for live inputs that have gone quiet. */
  idle(): Rec[] {
    return this.#ended ? [] : this.#given(this.#decoder.idle());
  }

  #given(records: Rec[]): Rec[] {
    this.inputs = this.#parts.of(this.#decoder.senderOf, this.#decoder.senders);
    return records;
  }

  async close(): Promise<void> {
    this.#ended = true;
    await this.#chunks.return?.();
  }

  get bytes(): number {
    return this.#decoder.counters.bytes;
  }

  get records(): number {
    return this.#decoder.counters.records;
  }

  get problems(): ReadonlyMap<ProblemReason, number> {
    const all = new Map(this.#decoder.counters.problems);
    for (const [reason, count] of this.#other) all.set(reason, (all.get(reason) ?? 0) + count);
    return all;
  }
}

async function* counting(chunks: AsyncIterable<Buffer>, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}
