/** Reads timestamps from bytes: the form of kube-apiserver without making a string of it, all others by way of parseTimestamp. */
import { QUOTE, skipValue } from './skip.js';
import type { SlicedBuffer, TextReader } from './text.js';
import { parseTimestamp } from './timestamp.js';

const MINUTE_US = 60_000_000;
/** `"2006-01-02T15:04:05.000000Z"` with its quotes. */
const FIXED_BYTES = 29;

/** Remembers the last minute, since the times of one field in one log come near one another. */
export class TimeReader {
  /** Behind the value that was read last; -1 when it was damaged. */
  next = -1;
  private day = 0;
  private clock = 0;
  private minuteUs = 0;

  constructor(private readonly texts: TextReader) {}

  /** Microseconds of the timestamp at `at`, 0 for any other value; sets `next`. */
  read(bytes: SlicedBuffer, view: DataView, at: number, end: number): number {
    if (
      at + FIXED_BYTES <= end &&
      bytes[at] === QUOTE &&
      view.getFloat64(at + 1, true) === this.day &&
      view.getFloat64(at + 9, true) === this.clock &&
      bytes[at + 17] === 0x3a &&
      bytes[at + 20] === 0x2e &&
      bytes[at + 27] === 0x5a &&
      bytes[at + 28] === QUOTE
    ) {
      const us = digits(bytes, at + 18, 2) * 1_000_000 + digits(bytes, at + 21, 6);
      if (us >= 0 && us < MINUTE_US) {
        this.next = at + FIXED_BYTES;
        return this.minuteUs + us;
      }
    }
    return this.readAny(bytes, view, at, end);
  }

  private readAny(bytes: SlicedBuffer, view: DataView, at: number, end: number): number {
    if (at >= end || bytes[at] !== QUOTE) {
      this.next = skipValue(bytes, view, at, end, 1);
      return 0;
    }
    const text = this.texts.read(bytes, view, at, end);
    this.next = this.texts.next;
    if (this.next < 0) return 0;
    const us = parseTimestamp(text);
    if (us > 0 && this.next === at + FIXED_BYTES && text.endsWith('Z')) {
      this.day = view.getFloat64(at + 1, true);
      this.clock = view.getFloat64(at + 9, true);
      this.minuteUs = us - (us % MINUTE_US);
    }
    return us;
  }
}

/** The number that `count` decimal digits write; far below zero when one of them is no digit. */
function digits(bytes: SlicedBuffer, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index++) {
    const digit = (bytes[index] as number) - 0x30;
    if (digit >>> 0 > 9) return -1e12;
    value = value * 10 + digit;
  }
  return value;
}
