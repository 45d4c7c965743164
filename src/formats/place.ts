/** Where a line reader stands: the bytes at hand, their place in the stream, the line, and what was left unfinished. */
import type { Verdict } from './audit/decoder.js';
import { Carry } from './carry.js';
import { isUtf8SoFar } from './utf8.js';

/** `line`: at or in a line. `text`: at a line that is text. `value`: inside JSON. `seek`: behind damage. `skip`: to the line's end. */
export type Mode = 'line' | 'text' | 'value' | 'seek' | 'skip';

export class Place {
  mode: Mode = 'line';
  /** The line being read, from 1. */
  line = 1;
  /** Stream offset at which it begins. */
  lineOffset = 0;
  /** Something of this line has been taken already. */
  midLine = false;
  bytes: Buffer = Buffer.alloc(0);
  /** Stream offset of `bytes[0]`. */
  base = 0;
  bytesAreUtf8 = true;
  /** What earlier chunks left unfinished; ends where `bytes` begins. */
  readonly carry = new Carry();
  /** What the audit decoder said about the part of `bytes` that it saw last, if that was no event. */
  told: { readonly verdict: Verdict; readonly start: number; readonly end: number } | undefined;

  use(bytes: Buffer, base: number): void {
    this.bytes = bytes;
    this.base = base;
    this.told = undefined;
    this.bytesAreUtf8 = isUtf8SoFar(bytes);
  }

  /** `at` is the place of the line feed; gives that of the next line. */
  endLine(at: number): number {
    this.line++;
    this.midLine = false;
    this.lineOffset = this.base + at + 1;
    return at + 1;
  }

  /** Leaves the bytes from `start` on for later. */
  carryFrom(start: number): number {
    this.carry.add(this.bytes.subarray(start), this.base + start);
    return this.bytes.length;
  }

  /** The position in `bytes` of a stream offset that may lie in what was carried; `at` where it is gone. */
  goBack(offset: number, at: number): number {
    if (offset >= this.base) {
      this.carry.clear();
      return offset - this.base;
    }
    if (this.carry.length === 0) return at;
    const skipped = offset - this.carry.offset;
    const whole = this.carry.take(this.bytes);
    this.use(whole.subarray(skipped), offset);
    return 0;
  }
}
