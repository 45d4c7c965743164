/** Puts messages into batches of columns over memory of their own. */
import type { MessageBatch, Sender } from './port.js';
import type { Labelled, SenderReader } from './sender.js';

/** Messages in offset order as columns over the memory they came in. */
export interface Incoming {
  readonly memory: Buffer;
  /** Of the values; start and end are equal for an empty or a null one. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Of the keys, in the same way. */
  readonly keyStarts: Int32Array;
  readonly keyEnds: Int32Array;
  readonly offsets: Float64Array;
  readonly timestamps: Float64Array;
  headers(at: number): IncomingHeaders;
}

export type IncomingHeaders = NonNullable<Labelled['headers']>;

export interface Fetched {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly Incoming[];
  readonly highWatermark: number;
}

/** Bytes of one batch, unless a single message is larger. */
export const MAX_BATCH_BYTES = 2 ** 20;
/** Indices of senders are 16 bits wide. */
const MAX_BATCH_MESSAGES = 0xffff;
/** Values that lie so near to each other in the memory that they came in are copied at once, with what is between. */
const MAX_GAP = 512;
/** What is between them, keys and headers, is overwritten: values that are text lie in memory that is text. */
const BLANK = 0x20;

/** Some of the messages that came together, from `from` on, before `to`. */
interface Part {
  readonly records: Incoming;
  readonly from: number;
  to: number;
}

/** Values that are copied together. */
interface Run {
  readonly memory: Buffer;
  readonly from: number;
  to: number;
}

/** Memory for a batch of so many bytes. Not of the shared pool: it must be possible to give it to another thread. */
export type Allocate = (size: number) => Buffer;

/** The messages with `offset` and higher ones, in order, in as few batches as their sizes allow; none when nothing is left. */
export function pack(
  fetched: Fetched,
  offset: number,
  reader: SenderReader,
  allocate: Allocate = Buffer.allocUnsafeSlow,
): MessageBatch[] {
  const batches: MessageBatch[] = [];
  const open = new Draft(allocate);
  for (const records of fetched.records) {
    const { offsets } = records;
    let first = 0;
    while (first < offsets.length && (offsets[first] as number) < offset) first++;
    for (let at = first; at < offsets.length; ) {
      at = open.add(records, at);
      if (at < offsets.length) batches.push(open.finish(fetched, reader));
    }
  }
  if (open.count > 0) batches.push(open.finish(fetched, reader));
  return batches;
}

/** A batch that is being put together: nothing is copied before it is known how large it is. */
class Draft {
  count = 0;
  #size = 0;
  #parts: Part[] = [];
  #runs: Run[] = [];

  constructor(private readonly allocate: Allocate) {}

  /** Adds messages from `first` on as long as there is room. Gives the first that has none. */
  add(records: Incoming, first: number): number {
    const { memory, starts, ends } = records;
    let run: Run | undefined;
    let at = first;
    for (; at < starts.length && this.count < MAX_BATCH_MESSAGES; at++) {
      const from = starts[at] as number;
      const to = ends[at] as number;
      if (to > from) {
        const isNear = run !== undefined && from >= run.to && from - run.to <= MAX_GAP;
        const more = isNear && run !== undefined ? to - run.to : to - from;
        if (this.#size > 0 && this.#size + more > MAX_BATCH_BYTES) break;
        this.#size += more;
        if (isNear && run !== undefined) run.to = to;
        else {
          run = { memory, from, to };
          this.#runs.push(run);
        }
      }
      this.count++;
    }
    if (at > first) this.#parts.push({ records, from: first, to: at });
    return at;
  }

  /** Begins anew after that. */
  finish({ topic, partition, highWatermark }: Fetched, reader: SenderReader): MessageBatch {
    const { count } = this;
    const bytes = this.allocate(this.#size);
    const starts = new Int32Array(count);
    const ends = new Int32Array(count);
    const offsets = new Float64Array(count);
    const timestamps = new Float64Array(count);
    const copier = new Copier(this.#runs, bytes);
    let i = 0;
    for (const { records, from, to } of this.#parts) {
      offsets.set(records.offsets.subarray(from, to), i);
      timestamps.set(records.timestamps.subarray(from, to), i);
      for (let at = from; at < to; at++, i++) {
        const start = records.starts[at] as number;
        const length = (records.ends[at] as number) - start;
        if (length > 0) copier.place(records.memory, start, length);
        starts[i] = copier.at - length;
        ends[i] = copier.at;
      }
    }
    const senderOf = new Uint16Array(count);
    const senders = reader.fixed === undefined ? readSenders(this.#parts, senderOf, reader) : [reader.fixed];
    this.count = 0;
    this.#size = 0;
    this.#parts = [];
    this.#runs = [];
    return { topic, partition, bytes, starts, ends, offsets, timestamps, senderOf, senders, highWatermark };
  }
}

class Copier {
  /** Behind the value that was placed last. */
  at = 0;
  #next = 0;
  #run: Run | undefined;
  /** From a place in the memory of the run to one in that of the batch. */
  #shift = 0;
  #copied = 0;

  constructor(
    private readonly runs: readonly Run[],
    private readonly bytes: Buffer,
  ) {}

  place(memory: Buffer, start: number, length: number): void {
    if (this.#run === undefined || start >= this.#run.to || memory !== this.#run.memory) this.#copy();
    const from = start + this.#shift;
    const { bytes } = this;
    for (let at = this.at; at < from; at++) bytes[at] = BLANK;
    this.at = from + length;
  }

  #copy(): void {
    const run = this.runs[this.#next++];
    if (run === undefined) return;
    this.bytes.set(run.memory.subarray(run.from, run.to), this.#copied);
    this.#run = run;
    this.#shift = this.#copied - run.from;
    this.at = this.#copied;
    this.#copied += run.to - run.from;
  }
}

function readSenders(parts: readonly Part[], senderOf: Uint16Array, reader: SenderReader): readonly Sender[] {
  const senders: Sender[] = [];
  const indices = new Map<Sender, number>();
  let last: Sender | undefined;
  let index = 0;
  let i = 0;
  for (const { records, from, to } of parts) {
    const { memory, keyStarts, keyEnds } = records;
    for (let at = from; at < to; at++, i++) {
      const sender = reader.asksHeaders
        ? reader.read({ key: memory.subarray(keyStarts[at], keyEnds[at]), headers: records.headers(at) })
        : reader.ofKey(memory, keyStarts[at] as number, keyEnds[at] as number);
      if (sender !== last) {
        const known = indices.get(sender);
        index = known ?? senders.push(sender) - 1;
        if (known === undefined) indices.set(sender, index);
        last = sender;
      }
      senderOf[i] = index;
    }
  }
  return senders;
}
