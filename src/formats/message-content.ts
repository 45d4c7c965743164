/** What the value of a Kafka message is, told by its first bytes: text, compressed text, or a binary form that is not read. */
import { isUtf8 } from 'node:buffer';
import type { ProblemReason } from '../model/record.js';
import { isGzip } from './gzip/header.js';
import { unpack } from './gzip/unpack.js';

/** Why a value is no text, and what it looks like. */
export interface Refusal {
  readonly reason: ProblemReason;
  readonly detail: string;
}

/** Compressed content may be so many times its compressed size, and always so many bytes. */
const MAX_RATIO = 256;
const RATIO_FLOOR = 1024 * 1024;
/** Magic byte and number of a schema, as Confluent's serializers write them. */
const SCHEMA_PREFIX = 5;
const HEAD = 64;

const PACKED: readonly (readonly [magic: string, name: string])[] = [
  ['28b52ffd', 'zstd'],
  ['04224d18', 'lz4'],
  ['ff060000734e61507059', 'snappy'],
  ['82534e4150505900', 'snappy'],
  ['fd377a585a00', 'xz'],
];
const AVRO_FILE = '4f626a01';

/** The text of a value, unpacked and without the prefix of a schema registry. The bytes are not copied unless they are unpacked. */
export function contentOf(value: Buffer, maxBytes: number): Buffer | Refusal {
  if (!isGzip(value)) return textOf(value);
  const content = unpack(value, Math.min(maxBytes, Math.max(RATIO_FLOOR, value.length * MAX_RATIO)));
  if (content === 'unreadable')
    return refusal(content, `gzip content of more than ${maxBytes} bytes, or more than ${MAX_RATIO} times its size`);
  if (typeof content === 'string') return refusal(content, 'gzip content that is cut or damaged');
  return isGzip(content) ? refusal('unreadable', 'gzip inside of gzip') : textOf(content);
}

function textOf(value: Buffer): Buffer | Refusal {
  const magic = value.toString('hex', 0, 10);
  const packed = PACKED.find(([start]) => magic.startsWith(start));
  if (packed !== undefined)
    return refusal('unreadable', `a value packed with ${packed[1]}: let the producer compress its batches instead`);
  if (magic.startsWith(AVRO_FILE)) return looksLike('an Avro file');
  const first = value[0] as number;
  if (first === 0) return withoutSchema(value);
  if (first >= 0x80) return isText(value) ? value : looksLike(isMap(first) ? 'MessagePack' : 'binary data');
  if (first === 10) return value.subarray(1, 10).some(isControl) ? looksLike('Protobuf') : value;
  if (isControl(first)) return looksLike(first === 8 || first === 18 ? 'Protobuf' : 'binary data');
  return value;
}

/** JSON with the prefix of a schema registry; a run of NUL bytes is left to the reader of records. */
function withoutSchema(value: Buffer): Buffer | Refusal {
  const next = value[SCHEMA_PREFIX];
  if (next === 123 || next === 91) return value.subarray(SCHEMA_PREFIX);
  if (value.length <= SCHEMA_PREFIX || value.subarray(0, SCHEMA_PREFIX + 1).every((byte) => byte === 0)) return value;
  return looksLike('Avro or Protobuf with the number of a schema before it');
}

/** A byte order mark, or the first character of a text; only the head is looked at, but for its last, maybe cut, character. */
function isText(value: Buffer): boolean {
  if ((value[0] === 0xff && value[1] === 0xfe) || (value[0] === 0xfe && value[1] === 0xff)) return true;
  const head = value.subarray(0, HEAD);
  return [0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, head.length - cut)));
}

/** Maps and arrays of MessagePack. */
function isMap(byte: number): boolean {
  return byte < 0xa0 || (byte >= 0xdc && byte <= 0xdf);
}

/** No byte of a text, but for white space and the escape of a terminal's colours. */
function isControl(byte: number): boolean {
  return byte < 32 && byte !== 9 && byte !== 10 && byte !== 13 && byte !== 27;
}

function looksLike(what: string): Refusal {
  return refusal('not-json', `looks like ${what}, which is not read: send JSON`);
}

function refusal(reason: ProblemReason, detail: string): Refusal {
  return { reason, detail };
}
