/** Puts messages into batches of columns over memory of their own. */
import type { MessageBatch, Sender } from './port.js';
import type { Labelled, SenderReader } from './sender.js';

/** A message as kafkajs has it. */
export interface FetchedMessage extends Labelled {
  readonly offset: string;
  /** Milliseconds since the epoch. */
  readonly timestamp: string;
  readonly value: Buffer | null;
}

export interface Fetched {
  readonly topic: string;
  readonly partition: number;
  readonly messages: readonly FetchedMessage[];
  readonly highWatermark: number;
}

/** Bytes of one batch, unless a single message is larger. */
export const MAX_BATCH_BYTES = 4 * 2 ** 20;
/** Indices of senders are 16 bits wide. */
const MAX_BATCH_MESSAGES = 0xffff;
/** Values that lie so near to each other in the memory that they came in are copied at once, with what is between. */
const MAX_GAP = 512;
/** What is between them, keys and headers, is overwritten: values that are text lie in memory that is text. */
const BLANK = 0x20;

const NOBODY: readonly Sender[] = [];
const NOTHING = Buffer.alloc(0);

/** Neighbours in the memory that they came in; `message` is the first of them. */
interface Run {
  readonly message: number;
  readonly memory: ArrayBufferLike;
  readonly from: number;
  to: number;
}

/** The messages from `first` on, in order, in as few batches as their sizes allow; none when nothing is left. */
export function pack(fetched: Fetched, first: number, reader: SenderReader): MessageBatch[] {
  const batches: MessageBatch[] = [];
  const { messages } = fetched;
  for (let at = first; at < messages.length; ) {
    const { runs, size, end } = findRuns(messages, at);
    batches.push(packRuns(fetched, at, end, runs, size, reader));
    at = end;
  }
  return batches;
}

/** Messages up to `end` make a batch. */
function findRuns(messages: readonly FetchedMessage[], first: number): { runs: Run[]; size: number; end: number } {
  const runs: Run[] = [];
  let run: Run | undefined;
  let size = 0;
  let end = first;
  for (; end < messages.length && end - first < MAX_BATCH_MESSAGES; end++) {
    const value = messages[end]?.value ?? NOTHING;
    const { length } = value;
    if (length === 0) continue;
    const from = value.byteOffset;
    const gap = run === undefined ? -1 : from - run.to;
    const isNear = run !== undefined && gap >= 0 && gap <= MAX_GAP && value.buffer === run.memory;
    const more = isNear ? gap + length : length;
    if (size > 0 && size + more > MAX_BATCH_BYTES) break;
    size += more;
    if (isNear && run !== undefined) run.to = from + length;
    else {
      run = { message: end, memory: value.buffer, from, to: from + length };
      runs.push(run);
    }
  }
  return { runs, size, end };
}

function packRuns(
  fetched: Fetched,
  first: number,
  end: number,
  runs: readonly Run[],
  size: number,
  reader: SenderReader,
): MessageBatch {
  const { topic, partition, messages, highWatermark } = fetched;
  const count = end - first;
  // Not of the shared pool: it must be possible to give the memory to another thread.
  const bytes = Buffer.allocUnsafeSlow(size);
  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  const offsets = new Float64Array(count);
  const timestamps = new Float64Array(count);
  let next = 0;
  /** From a place in the memory of the run to one in that of the batch. */
  let shift = 0;
  let at = 0;
  let copied = 0;
  for (let i = 0; i < count; i++) {
    const message = messages[first + i];
    if (message === undefined) break;
    offsets[i] = Number(message.offset);
    timestamps[i] = Number(message.timestamp);
    const length = message.value?.length ?? 0;
    if (message.value !== null && length > 0) {
      const run = runs[next];
      if (run?.message === first + i) {
        bytes.set(new Uint8Array(run.memory, run.from, run.to - run.from), copied);
        shift = copied - run.from;
        at = copied;
        copied += run.to - run.from;
        next++;
      }
      const start = message.value.byteOffset + shift;
      while (at < start) bytes[at++] = BLANK;
      at = start + length;
    }
    starts[i] = at - length;
    ends[i] = at;
  }
  const senderOf = new Uint16Array(count);
  const senders = reader.fixed === undefined ? readSenders(messages, first, senderOf, reader) : [reader.fixed];
  return { topic, partition, bytes, starts, ends, offsets, timestamps, senderOf, senders, highWatermark };
}

function readSenders(
  messages: readonly FetchedMessage[],
  first: number,
  senderOf: Uint16Array,
  reader: SenderReader,
): readonly Sender[] {
  const senders: Sender[] = [];
  const indices = new Map<Sender, number>();
  let last: Sender | undefined;
  let index = 0;
  for (let i = 0; i < senderOf.length; i++) {
    const message = messages[first + i];
    if (message === undefined) return NOBODY;
    const sender = reader.read(message);
    if (sender !== last) {
      const known = indices.get(sender);
      index = known ?? senders.push(sender) - 1;
      if (known === undefined) indices.set(sender, index);
      last = sender;
    }
    senderOf[i] = index;
  }
  return senders;
}
