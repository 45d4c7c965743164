/**
 * Finds where one JSON value ends, over any number of chunks, and notices early that it never will.
 * It checks punctuation only (order of tokens, brackets, where a line may start), not numbers or escapes:
 * every valid JSON object passes, and a torn one fails near the tear, so that the records after it survive.
 */
export type ScanStatus = 'more' | 'done' | 'bad' | 'items';

const MAX_DEPTH = 10_000;
const OBJECT = 1;
const ARRAY = 2;
const STRING = 34;
const LITERAL = 48;
const ITEMS_KEY = [105, 116, 101, 109, 115];

export class ValueScanner {
  status: ScanStatus = 'more';
  /** The value nests deeper than any that Kubernetes writes. */
  tooDeep = false;
  /** Line ends met inside the value. */
  newlines = 0;
  /** Stream offset at which the latest line inside the value begins; -1 while still on the first. */
  lineStart = -1;
  private depth = 0;
  private inString = false;
  private escaped = false;
  private literalOpen = false;
  private previous = 0;
  /** How much of the string being read equals `items`; -1 when it does not. */
  private keyMatch = -1;
  private itemsKey = false;
  private itemsSeen = false;
  private bareFirstLine = true;
  private unindented = false;
  private readonly kinds = new Uint8Array(MAX_DEPTH + 1);

  /** Makes ready for a new value whose first byte, `{`, comes next. */
  reset(): void {
    this.status = 'more';
    this.tooDeep = false;
    this.newlines = 0;
    this.lineStart = -1;
    this.depth = 0;
    this.inString = this.escaped = this.literalOpen = false;
    this.previous = 0;
    this.keyMatch = -1;
    this.itemsKey = this.itemsSeen = false;
    this.bareFirstLine = true;
    this.unindented = false;
  }

  /** Makes ready for the rest of an object after an array at its top level has been closed. */
  resetInsideObject(): void {
    this.reset();
    this.depth = 1;
    this.kinds[1] = OBJECT;
    this.previous = LITERAL;
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
    while (at < end) {
      if (this.inString) {
        at = this.scanString(bytes, at, end);
        if (at < 0) return this.stop('bad', ~at);
        continue;
      }
      const byte = bytes[at] as number;
      if (byte === 32 || byte === 9 || byte === 13) {
        this.literalOpen = false;
        at++;
        continue;
      }
      if (byte === 10) {
        this.literalOpen = false;
        this.newlines++;
        at++;
        this.lineStart = base + at;
        continue;
      }
      if (this.lineStart === base + at && this.newlines === 1 && byte !== 125) this.unindented = true;
      if (!this.accepts(byte, base + at)) return this.stop('bad', at);
      at++;
      if (this.depth === 0) return this.stop('done', at);
      if (byte === 91 && this.itemsKey && this.depth === 2 && !this.itemsSeen) {
        this.itemsSeen = true;
        return this.stop('items', at);
      }
    }
    return this.stop('more', at);
  }

  private stop(status: ScanStatus, at: number): number {
    this.status = status;
    return at;
  }

  /** Reads to the end of a string or of the bytes; the complement of the position where a control character stands. */
  private scanString(bytes: Buffer, position: number, end: number): number {
    let at = position;
    while (at < end) {
      const byte = bytes[at] as number;
      if (byte < 32) return ~at;
      if (this.escaped) {
        this.escaped = false;
        this.keyMatch = -1;
      } else if (byte === 34) {
        this.inString = false;
        this.itemsKey = this.keyMatch === ITEMS_KEY.length;
        return at + 1;
      } else if (byte === 92) {
        this.escaped = true;
      } else if (this.keyMatch >= 0) {
        this.keyMatch = byte === ITEMS_KEY[this.keyMatch] ? this.keyMatch + 1 : -1;
      } else {
        while (at + 1 < end) {
          const next = bytes[at + 1] as number;
          if (next < 32 || next === 34 || next === 92) break;
          at++;
        }
      }
      at++;
    }
    return at;
  }

  /** Takes one byte outside strings, unless it cannot stand there. */
  private accepts(byte: number, offset: number): boolean {
    const before = this.previous;
    const kind = this.kinds[this.depth];
    const afterValue = before === STRING || before === LITERAL || before === 125 || before === 93;
    const valueMayStart = before === 58 || before === 91 || (before === 44 && kind === ARRAY);
    const wasLiteral = this.literalOpen;
    this.literalOpen = false;
    switch (byte) {
      case 34:
        if (!valueMayStart && before !== 123 && before !== 44) return false;
        this.bareFirstLine &&= this.newlines > 0;
        this.inString = true;
        this.keyMatch = this.depth === 1 ? 0 : -1;
        this.previous = STRING;
        return true;
      case 123:
      case 91:
        if (before === 0 ? byte !== 123 : !valueMayStart) return false;
        // A brace that begins a line without indentation begins a new record, except in the rare layout without any.
        if (byte === 123 && this.lineStart === offset && !(this.bareFirstLine && this.unindented && this.newlines > 1))
          return false;
        if (this.depth >= MAX_DEPTH) {
          this.tooDeep = true;
          return false;
        }
        this.kinds[++this.depth] = byte === 123 ? OBJECT : ARRAY;
        this.previous = byte;
        return true;
      case 125:
      case 93:
        if (kind !== (byte === 125 ? OBJECT : ARRAY) || !(afterValue || before === byte - 2)) return false;
        this.depth--;
        this.previous = byte;
        return true;
      case 58:
        if (before !== STRING || kind !== OBJECT) return false;
        this.previous = byte;
        return true;
      case 44:
        if (!afterValue) return false;
        this.itemsKey = false;
        this.previous = byte;
        return true;
      default:
        if (!isLiteralByte(byte) || !(valueMayStart || (wasLiteral && before === LITERAL))) return false;
        this.literalOpen = true;
        this.previous = LITERAL;
        return true;
    }
  }
}

/** Digits, sign, point, exponent, and the letters of true, false and null. */
function isLiteralByte(byte: number): boolean {
  if (byte >= 48 && byte <= 57) return true;
  switch (byte) {
    case 43:
    case 45:
    case 46:
    case 69:
    case 97:
    case 101:
    case 102:
    case 108:
    case 110:
    case 114:
    case 115:
    case 116:
    case 117:
      return true;
    default:
      return false;
  }
}
