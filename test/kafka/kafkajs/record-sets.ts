/** Record batches as kafkajs writes and reads them, by its own inner functions: what is read here must be the same. */
import { createRequire } from 'node:module';

const inner = createRequire(import.meta.resolve('kafkajs'));
const { RecordBatch } = inner('./src/protocol/recordBatch/v0');
const Record = inner('./src/protocol/recordBatch/record/v0');
const Encoder = inner('./src/protocol/encoder');
const decodeMessages = inner('./src/protocol/requests/fetch/v4/decodeMessages');
const Decoder = inner('./src/protocol/decoder');
const Long = inner('./src/utils/long');

export interface Sent {
  readonly key?: Buffer | null;
  readonly value: Buffer | null;
  readonly headers?: { readonly [name: string]: Buffer | Buffer[] };
  readonly timestampDelta?: number;
}

export interface BatchOptions {
  readonly baseOffset: number;
  readonly compression?: number;
  readonly producerId?: number;
  readonly transactional?: boolean;
  /** Offsets from the first, where they are not 0, 1, 2. */
  readonly deltas?: readonly number[];
  readonly lastDelta?: number;
}

export const FIRST_TIMESTAMP = 1_700_000_000_000;
const ATTRIBUTES_AT = 21;
const CONTROL = 0x20;

export async function encodeBatch(sent: readonly Sent[], options: BatchOptions): Promise<Buffer> {
  const { baseOffset, compression = 0, producerId = -1, transactional = false, deltas, lastDelta } = options;
  const records = sent.map(({ key = null, value, headers = {}, timestampDelta = 0 }, i) =>
    Record({ key, value, headers, offsetDelta: deltas?.[i] ?? i, timestampDelta }),
  );
  const batch = await RecordBatch({
    compression,
    firstOffset: Long.fromValue(baseOffset),
    firstTimestamp: FIRST_TIMESTAMP,
    maxTimestamp: FIRST_TIMESTAMP + 1_000,
    lastOffsetDelta: lastDelta ?? deltas?.at(-1) ?? sent.length - 1,
    transactional,
    producerId: Long.fromValue(producerId),
    records,
  });
  return batch.buffer;
}

/** The mark at a transaction's end. */
export async function encodeMark(baseOffset: number, producerId: number, end: 'abort' | 'commit'): Promise<Buffer> {
  const key = Buffer.from([0, 0, 0, end === 'abort' ? 0 : 1]);
  const batch = await encodeBatch([{ key, value: Buffer.alloc(6) }], { baseOffset, producerId, transactional: true });
  batch.writeInt16BE(batch.readInt16BE(ATTRIBUTES_AT) | CONTROL, ATTRIBUTES_AT);
  return batch;
}

export interface Plain {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: { readonly [name: string]: Buffer | Buffer[] };
}

/** As kafkajs reads them. */
export async function decodePlain(batches: Buffer): Promise<Plain[]> {
  return decodeMessages(new Decoder(new Encoder().writeBytes(batches).buffer));
}

export interface Partition {
  readonly partition: number;
  readonly bytes: Buffer;
  readonly aborted?: readonly { readonly producerId: number; readonly firstOffset: number }[];
}

/** An answer to a fetch, version 11. */
export function encodeResponse(topics: { readonly [topic: string]: readonly Partition[] }): Buffer {
  const all = new Encoder().writeInt32(7).writeInt16(0).writeInt32(0).writeInt32(Object.keys(topics).length);
  for (const [topic, partitions] of Object.entries(topics)) {
    all.writeString(topic).writeInt32(partitions.length);
    for (const { partition, bytes, aborted = [] } of partitions) {
      all
        .writeInt32(partition)
        .writeInt16(0)
        .writeInt64(1_000)
        .writeInt64(900)
        .writeInt64(5)
        .writeInt32(aborted.length);
      for (const { producerId, firstOffset } of aborted) all.writeInt64(producerId).writeInt64(firstOffset);
      all.writeInt32(-1).writeBytes(bytes);
    }
  }
  return all.buffer;
}
