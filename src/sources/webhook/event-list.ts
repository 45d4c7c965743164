/** Checks that a body is JSON from end to end and an EventList of audit events, and counts them, making nothing of it. */
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipColon,
  skipSpace,
  skipString,
  skipValue,
} from '../../formats/audit/skip.js';

export type ListCheck = { readonly events: number } | Unreadable;

export interface Unreadable {
  readonly reason: string;
  /** Occurrences of `"auditID"`: above 0 something would be lost with it. */
  readonly auditIDs: number;
}

const NOT_JSON = 'no JSON: cut or damaged, or nested deeper than 512';
const NOT_A_LIST = 'no EventList of audit.k8s.io/v1 or audit.k8s.io/v1beta1';
const VERSIONS = new Set(['audit.k8s.io/v1', 'audit.k8s.io/v1beta1']);
/** Longest key or value that is looked at. */
const MAX_WORD = 32;

/**
 * Reads 500 MB a second and more and allocates next to nothing; JSON.parse reads a fifth of that, and leaves twice the
 * body behind in memory. Bytes that are not UTF-8 pass: they cost one record, which its reader counts.
 */
export function checkEventList(bytes: Buffer): ListCheck {
  const list = readList(bytes);
  return typeof list === 'number' ? { events: list } : { reason: list, auditIDs: countAuditIDs(bytes) };
}

/** The number of items, or what is wrong. */
function readList(bytes: Buffer): number | string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length;
  let at = skipSpace(bytes, 0, end);
  if (bytes[at] !== OPEN_OBJECT) {
    at = skipValue(bytes, view, at, end, 0);
    return at >= 0 && skipSpace(bytes, at, end) === end ? NOT_A_LIST : NOT_JSON;
  }
  const words = new Map<string, string>();
  let items: number | undefined;
  at = skipSpace(bytes, at + 1, end);
  for (let first = true; bytes[at] !== CLOSE_OBJECT; first = false) {
    if (!first) {
      if (bytes[at] !== COMMA) return NOT_JSON;
      at = skipSpace(bytes, at + 1, end);
    }
    const keyEnd = bytes[at] === QUOTE ? skipString(bytes, view, at, end) : -1;
    if (keyEnd < 0) return NOT_JSON;
    const key = wordAt(bytes, at, keyEnd);
    const value = skipColon(bytes, keyEnd, end);
    if (value < 0) return NOT_JSON;
    if (words.has(key)) return `${NOT_A_LIST}: it has ${key} twice`;
    if (key === 'items' && bytes[value] === OPEN_ARRAY) {
      const list = readItems(bytes, view, value, end);
      if (list.at < 0) return NOT_JSON;
      items = list.count;
      at = list.at;
    } else {
      at = skipValue(bytes, view, value, end, 1);
      if (at < 0) return NOT_JSON;
    }
    if (key === 'items' || key === 'kind' || key === 'apiVersion') words.set(key, wordAt(bytes, value, at));
    at = skipSpace(bytes, at, end);
  }
  if (skipSpace(bytes, at + 1, end) !== end) return NOT_JSON;
  if (words.get('kind') !== 'EventList' || !VERSIONS.has(words.get('apiVersion') ?? '')) return NOT_A_LIST;
  if (items === undefined) return (words.get('items') ?? 'null') === 'null' ? 0 : `${NOT_A_LIST}: items are no array`;
  return items < 0 ? `${NOT_A_LIST}: an item is no object` : items;
}

/** Where the array ends that begins at `at`, -1 for damage, and how many objects it has; count -1 when one item is none. */
function readItems(bytes: Buffer, view: DataView, at: number, end: number): { at: number; count: number } {
  let count = 0;
  let strange = false;
  at = skipSpace(bytes, at + 1, end);
  if (bytes[at] === CLOSE_ARRAY) return { at: at + 1, count };
  for (;;) {
    if (bytes[at] !== OPEN_OBJECT) strange = true;
    at = skipValue(bytes, view, at, end, 2);
    if (at < 0) return { at, count };
    count++;
    at = skipSpace(bytes, at, end);
    const byte = bytes[at];
    if (byte === CLOSE_ARRAY) return { at: at + 1, count: strange ? -1 : count };
    if (byte !== COMMA) return { at: -1, count };
    at = skipSpace(bytes, at + 1, end);
  }
}

/** A short string without its quotes, or a short literal; '' for all else. */
function wordAt(bytes: Buffer, start: number, end: number): string {
  if (end - start > MAX_WORD) return '';
  return bytes[start] === QUOTE ? bytes.toString('latin1', start + 1, end - 1) : bytes.toString('latin1', start, end);
}

function countAuditIDs(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf('"auditID"'); at >= 0; at = bytes.indexOf('"auditID"', at + 9)) count++;
  return count;
}
