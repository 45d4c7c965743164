/**
 * Finds where one JSON value ends, over any number of chunks, and notices early that it never will.
 * It checks punctuation only (order of tokens, brackets, where a line may start), not numbers or escapes:
 * every valid JSON object passes, and a torn one fails near the tear, so that the records after it survive.
 */
export type ScanStatus = 'more' | 'done' | 'bad' | 'items';

const MAX_DEPTH = 10_000;
const OBJECT = 1;
const ARRAY = 2;

/** What came last: nothing yet, a value or closing bracket, a string, or one of the marks `{ [ : ,`. */
const NOTHING = 0;
const VALUE = 1;
const STRING = 2;
const OPEN_OBJECT = 3;
const OPEN_ARRAY = 4;
const COLON = 5;
const COMMA = 6;

/** Bytes at which the reading of a string stops: quote, backslash, control characters. */
const ENDS_RUN = new Uint8Array(256).fill(1, 0, 32);
ENDS_RUN[34] = ENDS_RUN[92] = 1;
/** Digits, sign, point, exponent, and the letters of true, false and null. */
const IN_LITERAL = new Uint8Array(256);
for (const byte of Buffer.from('0123456789+-.Eeaflnrstu')) IN_LITERAL[byte] = 1;

/** Enough of a key to tell that it is not `items`. */
const LONGEST_PART = 6;

export class ValueScanner {
  status: ScanStatus = 'more';
  /** The value nests deeper than any that Kubernetes writes. */
  tooDeep = false;
  /** Line ends met inside the value. */
  newlines = 0;
  /** Stream offset at which the latest line inside the value begins; -1 while still on the first. */
  lineStart = -1;
  private depth = 0;
  private last = NOTHING;
  private inString = false;
  private escaped = false;
  private inLiteral = false;
  /** The beginning of a top-level string that earlier chunks hold. */
  private keyPart = '';
  private itemsKey = false;
  private itemsSeen = false;
  /** Nothing but the brace stands on the first line; the second line has no indentation. */
  private bareFirstLine = true;
  private unindented = false;
  /** Of each open container, what it is; grows with the depth. */
  private kinds = new Uint8Array(64);

  /** Makes ready for a new value whose first byte, `{`, comes next. */
  reset(): void {
    this.status = 'more';
    this.tooDeep = false;
    this.newlines = 0;
    this.lineStart = -1;
    this.depth = 0;
    this.last = NOTHING;
    this.inString = this.escaped = this.inLiteral = false;
    this.keyPart = '';
    this.itemsKey = this.itemsSeen = false;
    this.bareFirstLine = true;
    this.unindented = false;
  }

  /** Makes ready for the rest of an object after an array at its top level has been closed. */
  resetInsideObject(): void {
    this.reset();
    this.depth = 1;
    this.kinds[1] = OBJECT;
    this.last = VALUE;
    this.itemsSeen = true;
    this.bareFirstLine = false;
  }

  /**
   * Reads on from `position`; `base` is the stream offset of `bytes[0]`. Returns where it stopped and sets `status`:
   * `done` (just behind the value), `bad` (at the byte that cannot be), `items` (just behind the bracket that opens
   * a top-level `"items"` array; scanning may go on from there), `more` (at `end`).
   */
  scan(bytes: Buffer, position: number, end: number, base: number): number {
    let at = position;
    let { depth, last, inLiteral } = this;
    let { kinds } = this;
    let status: ScanStatus = 'more';
    while (at < end) {
      if (this.inString) {
        at = this.scanString(bytes, at, end, depth === 1);
        if (at >= 0) continue;
        at = ~at;
        status = 'bad';
        break;
      }
      const byte = bytes[at] as number;
      if (byte === 34) {
        if (last < OPEN_OBJECT) {
          status = 'bad';
          break;
        }
        if (this.newlines === 0) this.bareFirstLine = false;
        else if (this.newlines === 1 && this.lineStart === base + at) this.unindented = true;
        this.inString = true;
        inLiteral = false;
        last = STRING;
      } else if (byte === 58) {
        if (last !== STRING || kinds[depth] !== OBJECT) {
          status = 'bad';
          break;
        }
        last = COLON;
      } else if (byte === 44) {
        if (last !== VALUE && last !== STRING) {
          status = 'bad';
          break;
        }
        inLiteral = this.itemsKey = false;
        last = COMMA;
      } else if (IN_LITERAL[byte] === 1) {
        if (!inLiteral && !(last === COLON || last === OPEN_ARRAY || (last === COMMA && kinds[depth] === ARRAY))) {
          status = 'bad';
          break;
        }
        inLiteral = true;
        last = VALUE;
      } else if (byte === 125 || byte === 93) {
        const kind = byte === 125 ? OBJECT : ARRAY;
        if (kinds[depth] !== kind || !(last === VALUE || last === STRING || last === kind + STRING)) {
          status = 'bad';
          break;
        }
        inLiteral = false;
        last = VALUE;
        if (--depth === 0) {
          at++;
          status = 'done';
          break;
        }
      } else if (byte === 123 || byte === 91) {
        const mayOpen =
          last === NOTHING
            ? byte === 123
            : last === COLON || last === OPEN_ARRAY || (last === COMMA && kinds[depth] === ARRAY);
        if (!mayOpen || (byte === 123 && this.beginsRecord(base + at)) || depth >= MAX_DEPTH) {
          this.tooDeep = depth >= MAX_DEPTH;
          status = 'bad';
          break;
        }
        if (++depth === kinds.length) kinds = this.growKinds();
        kinds[depth] = byte === 123 ? OBJECT : ARRAY;
        last = byte === 123 ? OPEN_OBJECT : OPEN_ARRAY;
        if (byte === 91 && this.itemsKey && depth === 2 && !this.itemsSeen) {
          this.itemsSeen = true;
          at++;
          status = 'items';
          break;
        }
      } else if (byte === 10) {
        inLiteral = false;
        this.newlines++;
        this.lineStart = base + at + 1;
      } else if (byte === 32 || byte === 9 || byte === 13) {
        inLiteral = false;
      } else {
        status = 'bad';
        break;
      }
      at++;
    }
    this.depth = depth;
    this.last = last;
    this.inLiteral = inLiteral;
    this.status = status;
    return at;
  }

  /** Reads to behind a string or to the end of the bytes; the complement of the place of a control character. */
  private scanString(bytes: Buffer, position: number, end: number, isTopLevel: boolean): number {
    let at = position;
    if (this.escaped) {
      if ((bytes[at] as number) < 32) return ~at;
      this.escaped = false;
      at++;
    }
    while (at < end) {
      const byte = bytes[at] as number;
      if (ENDS_RUN[byte] === 0) {
        at++;
        continue;
      }
      if (byte === 34) {
        this.inString = false;
        if (isTopLevel) this.itemsKey = this.isItems(bytes, position, at);
        return at + 1;
      }
      if (byte !== 92) return ~at;
      if (at + 1 >= end) {
        this.escaped = true;
        at++;
        break;
      }
      if ((bytes[at + 1] as number) < 32) return ~(at + 1);
      at += 2;
    }
    if (isTopLevel) this.keyPart = (this.keyPart + textOf(bytes, position, at)).slice(0, LONGEST_PART);
    return at;
  }

  private growKinds(): Uint8Array<ArrayBuffer> {
    const grown = new Uint8Array(this.kinds.length * 4);
    grown.set(this.kinds);
    this.kinds = grown;
    return grown;
  }

  private isItems(bytes: Buffer, start: number, end: number): boolean {
    if (this.keyPart === '') return end - start === 5 && bytes[start] === 105 && textOf(bytes, start, end) === 'items';
    const key = this.keyPart + textOf(bytes, start, end);
    this.keyPart = '';
    return key === 'items';
  }

  /** A brace that begins a line without indentation begins a new record, except in the rare layout that has none. */
  private beginsRecord(offset: number): boolean {
    return this.lineStart === offset && !(this.bareFirstLine && this.unindented && this.newlines > 1);
  }
}

function textOf(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start, Math.min(end, start + LONGEST_PART));
}
