/**
 * Reads the record batches of a fetch as columns over the memory they came in. kafkajs makes several objects of each
 * record, which costs more than everything else that is done with it.
 */
import type { Incoming, IncomingHeaders } from '../pack.js';

/** One record batch as the producer made it: records, and the offsets that it stands for. */
export interface RecordBatch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly producerId: string;
  readonly inTransaction: boolean;
  /** It holds nothing but the mark of a transaction's end. */
  readonly isControl: boolean;
  readonly records: Incoming;
}

export type Decompress = (codec: number, bytes: Buffer) => Promise<Buffer>;

/** Length and offset, before which nothing else of a batch stands. */
const PREFIX = 12;
const MAGIC_AT = 16;
const HEADER = 61;
const MAGIC = 2;
const CODEC_MASK = 0x07;
const LOG_APPEND_TIME = 0x08;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;
/** Length, attributes, deltas, key, value and headers take a byte each at least. */
const MIN_RECORD = 7;

/** Whether all of it is of the format that is read here; brokers may still hold messages of the two older ones. */
export function isReadable(bytes: Buffer): boolean {
  for (let at = 0; at + MAGIC_AT < bytes.length; at += PREFIX + bytes.readInt32BE(at + 8)) {
    if (bytes[at + MAGIC_AT] !== MAGIC || bytes.readInt32BE(at + 8) < 0) return false;
  }
  return true;
}

/** The batches that are there as a whole: a fetch may cut off the last. Throws for damaged ones. */
export async function readRecordBatches(bytes: Buffer, decompress: Decompress): Promise<RecordBatch[]> {
  const batches: RecordBatch[] = [];
  for (let at = 0; at + HEADER <= bytes.length; ) {
    const end = at + PREFIX + bytes.readInt32BE(at + 8);
    if (end > bytes.length) break;
    batches.push(await readBatch(bytes.subarray(at, end), decompress));
    at = end;
  }
  return batches;
}

async function readBatch(bytes: Buffer, decompress: Decompress): Promise<RecordBatch> {
  const baseOffset = Number(bytes.readBigInt64BE(0));
  const attributes = bytes.readInt16BE(21);
  const codec = attributes & CODEC_MASK;
  const count = bytes.readInt32BE(57);
  const packed = bytes.subarray(HEADER);
  const plain = codec === 0 || packed.length === 0 ? packed : await decompress(codec, packed);
  if (count < 0 || count > plain.length / MIN_RECORD) throw damaged(baseOffset);
  const times = {
    first: Number(bytes.readBigInt64BE(27)),
    all: (attributes & LOG_APPEND_TIME) === 0 ? undefined : Number(bytes.readBigInt64BE(35)),
  };
  return {
    baseOffset,
    lastOffset: baseOffset + bytes.readInt32BE(23),
    producerId: bytes.readBigInt64BE(43).toString(),
    inTransaction: (attributes & TRANSACTIONAL) !== 0,
    isControl: (attributes & CONTROL) !== 0,
    records: readRecords(plain, count, baseOffset, times),
  };
}

function readRecords(
  memory: Buffer,
  count: number,
  baseOffset: number,
  times: { readonly first: number; readonly all: number | undefined },
): Incoming {
  const [starts, ends, keyStarts, keyEnds] = [0, 0, 0, 0].map(() => new Int32Array(count)) as Quarter;
  const offsets = new Float64Array(count);
  const timestamps = new Float64Array(count);
  const cursor = { memory, at: 0 };
  for (let i = 0; i < count; i++) {
    const length = readVarint(cursor);
    const end = cursor.at + length;
    // Attributes, of which there are none.
    cursor.at++;
    timestamps[i] = times.all ?? times.first + readVarint(cursor);
    if (times.all !== undefined) readVarint(cursor);
    offsets[i] = baseOffset + readVarint(cursor);
    const keyLength = readVarint(cursor);
    keyStarts[i] = cursor.at;
    cursor.at += Math.max(0, keyLength);
    keyEnds[i] = cursor.at;
    const valueLength = readVarint(cursor);
    starts[i] = cursor.at;
    cursor.at += Math.max(0, valueLength);
    ends[i] = cursor.at;
    // Numbers that are none make all of it false.
    if (!(length >= 0 && cursor.at <= end && end <= memory.length)) throw damaged(baseOffset);
    cursor.at = end;
  }
  return {
    memory,
    starts,
    ends,
    keyStarts,
    keyEnds,
    offsets,
    timestamps,
    headers: (i) => readHeaders(memory, ends[i] ?? memory.length),
  };
}

type Quarter = [Int32Array, Int32Array, Int32Array, Int32Array];

interface Cursor {
  readonly memory: Buffer;
  at: number;
}

/** A number of any length, in zigzag; behind the end it is NaN or some number, and the cursor behind the end as well. */
function readVarint(cursor: Cursor): number {
  const { memory } = cursor;
  const first = memory[cursor.at++] as number;
  if (first < 0x80) return (first >>> 1) ^ -(first & 1);
  let value = first & 0x7f;
  let scale = 0x80;
  for (;;) {
    const byte = memory[cursor.at++];
    if (byte === undefined) return Number.NaN;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    scale *= 0x80;
  }
}

/** As kafkajs has them: a name that comes twice has a list. */
function readHeaders(memory: Buffer, at: number): IncomingHeaders {
  const cursor = { memory, at };
  const headers: Record<string, Buffer | Buffer[]> = {};
  const count = readVarint(cursor);
  for (let i = 0; i < count && cursor.at < memory.length; i++) {
    const name = readBytes(cursor).toString('utf8');
    const value = readBytes(cursor);
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    headers[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  }
  return headers;
}

function readBytes(cursor: Cursor): Buffer {
  const length = Math.max(0, readVarint(cursor));
  const bytes = cursor.memory.subarray(cursor.at, cursor.at + length);
  cursor.at += length;
  return bytes;
}

function damaged(baseOffset: number): Error {
  return new Error(`the record batch at offset ${baseOffset} is damaged; the broker's log should be checked`);
}
