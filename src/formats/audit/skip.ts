/** Passes over JSON in bytes, checking all of it, without making anything of it. Positions in, positions out, -1 for damage. */
import { MAX_DEPTH } from './decoder.js';

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;

const SPACES = table(' \t\n\r');
const DIGITS = table('0123456789');
const HEX = table('0123456789abcdefABCDEF');
const SIMPLE_ESCAPES = table('"\\/bfnrt');

/** Whether each container that is open at a depth is an object; used by one call at a time. */
const objects = new Uint8Array(MAX_DEPTH + 1);

/** Behind the white space at `at`. */
export function skipSpace(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && SPACES[bytes[at] as number] === 1) at++;
  return at;
}

/** Marks the bytes of a little-endian word that end a plain stretch: quote, backslash, control, not ASCII. The lowest mark is exact. */
export function marksOf(word: number): number {
  const ends = ((word ^ 0x22222222) - 0x01010101) | ((word ^ 0x5c5c5c5c) - 0x01010101);
  return (ends | (word - 0x20202020) | word) & 0x80808080;
}

/** Behind the string whose opening quote is at `at`. */
export function skipString(bytes: Uint8Array, view: DataView, at: number, end: number): number {
  at++;
  for (;;) {
    while (at + 4 <= end) {
      const marks = marksOf(view.getInt32(at, true));
      if (marks !== 0) {
        at += (31 - Math.clz32(marks & -marks)) >> 3;
        break;
      }
      at += 4;
    }
    if (at >= end) return -1;
    const byte = bytes[at] as number;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) {
      at = skipEscape(bytes, at, end);
      if (at < 0) return -1;
    } else if (byte < 0x20) return -1;
    else at++;
  }
}

/** Behind the escape whose backslash is at `at`. */
export function skipEscape(bytes: Uint8Array, at: number, end: number): number {
  if (at + 1 >= end) return -1;
  const byte = bytes[at + 1] as number;
  if (SIMPLE_ESCAPES[byte] === 1) return at + 2;
  if (byte !== 0x75 || at + 6 > end) return -1;
  const digits =
    (HEX[bytes[at + 2] as number] as number) &
    (HEX[bytes[at + 3] as number] as number) &
    (HEX[bytes[at + 4] as number] as number) &
    (HEX[bytes[at + 5] as number] as number);
  return digits === 1 ? at + 6 : -1;
}

/** Behind the value at `at`, where no white space may stand; `depth` containers are open around it. */
export function skipValue(bytes: Uint8Array, view: DataView, at: number, end: number, depth: number): number {
  const floor = depth;
  for (;;) {
    const first = at < end ? (bytes[at] as number) : 0;
    if (first === QUOTE) at = skipString(bytes, view, at, end);
    else if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
      if (depth === MAX_DEPTH) return -1;
      const isObject = first === OPEN_OBJECT ? 1 : 0;
      at = skipSpace(bytes, at + 1, end);
      if (at >= end) return -1;
      if (bytes[at] === (isObject === 1 ? CLOSE_OBJECT : CLOSE_ARRAY)) at++;
      else {
        objects[++depth] = isObject;
        if (isObject === 1) at = skipKey(bytes, view, at, end);
        if (at < 0) return -1;
        continue;
      }
    } else at = skipScalar(bytes, at, end, first);
    if (at < 0) return -1;
    for (;;) {
      if (depth === floor) return at;
      let byte = at < end ? (bytes[at] as number) : 0;
      if (byte !== COMMA && byte <= 0x20) {
        at = skipSpace(bytes, at, end);
        byte = at < end ? (bytes[at] as number) : 0;
      }
      at++;
      if (byte === COMMA) break;
      if (byte !== (objects[depth] === 1 ? CLOSE_OBJECT : CLOSE_ARRAY)) return -1;
      depth--;
    }
    if (at < end && (bytes[at] as number) <= 0x20) at = skipSpace(bytes, at, end);
    if (objects[depth] === 1) at = skipKey(bytes, view, at, end);
    if (at < 0) return -1;
  }
}

/** Behind the colon, and the white space behind it, of the key at `at`. */
function skipKey(bytes: Uint8Array, view: DataView, at: number, end: number): number {
  if (at >= end || bytes[at] !== QUOTE) return -1;
  at = skipString(bytes, view, at, end);
  return at < 0 ? -1 : skipColon(bytes, at, end);
}

/** Behind a colon with white space around it. */
export function skipColon(bytes: Uint8Array, at: number, end: number): number {
  at = skipSpace(bytes, at, end);
  if (at >= end || bytes[at] !== COLON) return -1;
  return skipSpace(bytes, at + 1, end);
}

function skipScalar(bytes: Uint8Array, at: number, end: number, first: number): number {
  if (first === 0x74) return skipWord(bytes, at, end, 'true');
  if (first === 0x66) return skipWord(bytes, at, end, 'false');
  if (first === 0x6e) return skipWord(bytes, at, end, 'null');
  return skipNumber(bytes, at, end);
}

function skipWord(bytes: Uint8Array, at: number, end: number, word: string): number {
  if (at + word.length > end) return -1;
  for (let index = 0; index < word.length; index++) {
    if (bytes[at + index] !== word.charCodeAt(index)) return -1;
  }
  return at + word.length;
}

/** Behind the number at `at`. */
export function skipNumber(bytes: Uint8Array, at: number, end: number): number {
  if (at < end && bytes[at] === 0x2d) at++;
  const first = at;
  at = skipDigits(bytes, at, end);
  if (at === first || (bytes[first] === 0x30 && at > first + 1)) return -1;
  if (at < end && bytes[at] === 0x2e) {
    const fraction = at + 1;
    at = skipDigits(bytes, fraction, end);
    if (at === fraction) return -1;
  }
  if (at < end && ((bytes[at] as number) | 0x20) === 0x65) {
    at++;
    if (at < end && (bytes[at] === 0x2b || bytes[at] === 0x2d)) at++;
    const exponent = at;
    at = skipDigits(bytes, at, end);
    if (at === exponent) return -1;
  }
  return at;
}

function skipDigits(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && DIGITS[bytes[at] as number] === 1) at++;
  return at;
}

function table(chars: string): Uint8Array {
  const marks = new Uint8Array(256);
  for (const char of chars) marks[char.charCodeAt(0)] = 1;
  return marks;
}
