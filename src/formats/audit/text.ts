/** Turns the bytes of JSON strings into strings, the same string again for bytes that were seen lately. */
import { BACKSLASH, marksOf, QUOTE, skipEscape } from './skip.js';
import { Slots } from './slots.js';

const SCRATCH_BYTES = 4096;
const MULTIPLIER = 0x9e3779b1;

/** What the letter of an escape stands for. */
const ESCAPED = new Uint8Array(128);
for (const [letter, char] of Object.entries({
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
})) {
  ESCAPED[letter.charCodeAt(0)] = char.charCodeAt(0);
}

/** Slices without the argument handling of toString, which costs as much as the slice; part of every Node.js version. */
export interface SlicedBuffer extends Buffer {
  latin1Slice(start: number, end: number): string;
  utf8Slice(start: number, end: number): string;
}

export class TextReader {
  /** Behind the string that was read last; -1 when it was damaged. */
  next = -1;
  /** A hash of the bytes of that string. */
  hash = 0;
  /** Whether it has escapes, and bytes that are not ASCII. */
  private escapes = false;
  private high = false;
  private readonly slots: Slots<string>;
  private readonly scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES) as SlicedBuffer;

  /** Remembers about `slots` strings, a power of two, of at most `maxBytes` with their quotes, a multiple of eight. */
  constructor(slots: number, maxBytes: number) {
    this.slots = new Slots<string>(slots, maxBytes, '');
  }

  /** The string whose opening quote is at `at`; sets `next`. */
  read(bytes: SlicedBuffer, view: DataView, at: number, end: number): string {
    const close = this.pass(bytes, view, at, end);
    if (close < 0) return '';
    const length = close + 1 - at;
    const slot = this.slots.find(this.hash, view, at, length);
    if (slot >= 0) return this.slots.values[slot] as string;
    const text = this.escapes
      ? this.unescape(bytes, at + 1, close)
      : this.high
        ? bytes.utf8Slice(at + 1, close)
        : bytes.latin1Slice(at + 1, close);
    this.slots.put(this.hash, view, at, length, text);
    return text;
  }

  /** Passes over the string whose opening quote is at `at`; gives the place of the closing one, and sets `next` and `hash`. */
  pass(bytes: SlicedBuffer, view: DataView, at: number, end: number): number {
    let hash = 0;
    let escapes = false;
    let high = false;
    let close = at + 1;
    for (;;) {
      while (close + 4 <= end) {
        const word = view.getInt32(close, true);
        const marks = marksOf(word);
        if (marks !== 0) {
          const plain = (31 - Math.clz32(marks & -marks)) & 0x18;
          hash = Math.imul(hash ^ (word & ((1 << plain) - 1)), MULTIPLIER);
          close += plain >> 3;
          break;
        }
        hash = Math.imul(hash ^ word, MULTIPLIER);
        close += 4;
      }
      if (close >= end) return this.damaged();
      const byte = bytes[close] as number;
      if (byte === QUOTE) break;
      if (byte < 0x20) return this.damaged();
      if (byte === BACKSLASH) {
        escapes = true;
        const behind = skipEscape(bytes, close, end);
        if (behind < 0) return this.damaged();
        if (behind === close + 6) hash = Math.imul(hash ^ view.getInt32(close + 2, true), MULTIPLIER);
        else hash = Math.imul(hash ^ (bytes[close + 1] as number), MULTIPLIER);
        close = behind;
      } else {
        if (byte >= 0x80) high = true;
        hash = Math.imul(hash ^ byte, MULTIPLIER);
        close++;
      }
    }
    this.next = close + 1;
    this.escapes = escapes;
    this.high = high;
    this.hash = hash ^ (hash >>> 15);
    return close;
  }

  private damaged(): number {
    this.next = -1;
    return -1;
  }

  /** The text of valid escaped bytes; by way of the scratch bytes as long as all of it is ASCII. */
  private unescape(bytes: SlicedBuffer, start: number, end: number): string {
    if (end - start > SCRATCH_BYTES) return unescapeAny(bytes, start, end);
    const scratch = this.scratch;
    let length = 0;
    for (let at = start; at < end; ) {
      let char = bytes[at] as number;
      if (char === BACKSLASH) {
        char = escapedChar(bytes, at);
        at += bytes[at + 1] === 0x75 ? 6 : 2;
      } else at++;
      if (char >= 0x80) return unescapeAny(bytes, start, end);
      scratch[length++] = char;
    }
    return scratch.latin1Slice(0, length);
  }
}

/** The text of a valid JSON string, given by what stands between its quotes. */
export function textOf(bytes: Buffer, start: number, end: number): string {
  return unescapeAny(bytes as SlicedBuffer, start, end);
}

function unescapeAny(bytes: SlicedBuffer, start: number, end: number): string {
  let text = '';
  let plain = start;
  for (let at = start; at < end; ) {
    if (bytes[at] !== BACKSLASH) {
      at++;
      continue;
    }
    text += bytes.utf8Slice(plain, at) + String.fromCharCode(escapedChar(bytes, at));
    at += bytes[at + 1] === 0x75 ? 6 : 2;
    plain = at;
  }
  return text + bytes.utf8Slice(plain, end);
}

function escapedChar(bytes: SlicedBuffer, at: number): number {
  const letter = bytes[at + 1] as number;
  if (letter !== 0x75) return ESCAPED[letter] as number;
  return (
    (hexDigit(bytes[at + 2] as number) << 12) |
    (hexDigit(bytes[at + 3] as number) << 8) |
    (hexDigit(bytes[at + 4] as number) << 4) |
    hexDigit(bytes[at + 5] as number)
  );
}

/** The value of an ASCII hex digit. */
function hexDigit(byte: number): number {
  return (byte & 0x0f) + (byte >> 6) * 9;
}
