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

/** Bytes of values in one batch, unless a single message is larger. */
export const MAX_BATCH_BYTES = 4 * 2 ** 20;
/** Indices of senders are 16 bits wide. */
const MAX_BATCH_MESSAGES = 0xffff;

const NOBODY: readonly Sender[] = [];

/** The messages from `first` on, in order, in as few batches as their sizes allow; none when nothing is left. */
export function pack(fetched: Fetched, first: number, reader: SenderReader): MessageBatch[] {
  const batches: MessageBatch[] = [];
  const { messages } = fetched;
  for (let at = first; at < messages.length; ) {
    let bytes = messages[at]?.value?.length ?? 0;
    let end = at + 1;
    for (; end < messages.length && end - at < MAX_BATCH_MESSAGES; end++) {
      const more = messages[end]?.value?.length ?? 0;
      if (bytes + more > MAX_BATCH_BYTES) break;
      bytes += more;
    }
    batches.push(packRange(fetched, at, end, bytes, reader));
    at = end;
  }
  return batches;
}

function packRange(fetched: Fetched, first: number, end: number, size: number, reader: SenderReader): MessageBatch {
  const { topic, partition, messages, highWatermark } = fetched;
  const count = end - first;
  // Not of the shared pool: it must be possible to give the memory to another thread.
  const bytes = Buffer.allocUnsafeSlow(size);
  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  const offsets = new Float64Array(count);
  const timestamps = new Float64Array(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    const message = messages[first + i];
    if (message === undefined) break;
    starts[i] = at;
    if (message.value !== null) at += message.value.copy(bytes, at);
    ends[i] = at;
    offsets[i] = Number(message.offset);
    timestamps[i] = Number(message.timestamp);
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
