/** A bounded table from the bytes of a JSON value to what was once read from them, so that repeated values cost a comparison. */

/**
 * A fixed number of slots, two for each hash; a newcomer displaces an older entry. Only values that delimit themselves
 * (strings, arrays, objects) may be put in: then bytes that begin with an entry's bytes are that entry's value.
 *
 * Bytes are compared eight at a time as doubles. That is exact because no stored word is NaN or zero: every other
 * double has one bit pattern. `put` refuses bytes that would need such a word; text never does.
 */
export class Slots<T> {
  /** The value and the length in bytes of each slot. */
  readonly values: T[];
  readonly lengths: Int32Array;
  private readonly hashes: Int32Array;
  private readonly words: Float64Array;
  private readonly mask: number;
  private readonly wordsPerSlot: number;
  /** Fingerprints of values that were put in for the first time and not kept. */
  private readonly sighted: Int32Array;
  private turn = 0;

  /** `count` slots, a power of two, for values of at most `maxBytes`, a multiple of eight. */
  constructor(count: number, maxBytes: number, filler: T) {
    this.mask = count - 1;
    this.wordsPerSlot = maxBytes >> 3;
    this.values = new Array<T>(count).fill(filler);
    this.lengths = new Int32Array(count).fill(0x7fffffff);
    this.hashes = new Int32Array(count);
    this.sighted = new Int32Array(count);
    this.words = new Float64Array(count * this.wordsPerSlot);
  }

  /** The slot whose value begins at `at` and is at most `room` bytes long; -1 when there is none. */
  find(hash: number, view: DataView, at: number, room: number): number {
    const slot = hash & this.mask;
    if (this.hashes[slot] === hash && (this.lengths[slot] as number) <= room && this.same(slot, view, at)) return slot;
    const other = slot ^ 1;
    if (this.hashes[other] === hash && (this.lengths[other] as number) <= room && this.same(other, view, at)) {
      return other;
    }
    return -1;
  }

  /** Remembers the value that stands in `length` bytes from `at`, if it fits a slot. */
  put(hash: number, view: DataView, at: number, length: number, value: T): void {
    if (length < 4 || length > this.wordsPerSlot << 3) return;
    this.turn ^= 1;
    const slot = (hash & this.mask) ^ this.turn;
    this.lengths[slot] = 0x7fffffff;
    let word = slot * this.wordsPerSlot;
    if (length < 8) {
      this.words[word] = shortWord(view, at, length);
    } else {
      const last = at + length - 8;
      for (let from = at; ; from = Math.min(from + 8, last)) {
        const bits = view.getFloat64(from, true);
        if (bits === 0 || Number.isNaN(bits)) return;
        this.words[word++] = bits;
        if (from === last) break;
      }
    }
    this.hashes[slot] = hash;
    this.values[slot] = value;
    this.lengths[slot] = length;
  }

  /** The same from the second time on that these bytes are put in, so that what never comes again displaces nothing. */
  putRepeated(hash: number, view: DataView, at: number, length: number, value: T): void {
    let print = length;
    for (let from = at; from + 4 <= at + length; from += 4) {
      print = Math.imul(print ^ view.getInt32(from, true), 0x9e3779b1);
      print ^= print >>> 15;
    }
    if (this.sighted[print & this.mask] === print) this.put(hash, view, at, length, value);
    else this.sighted[print & this.mask] = print;
  }

  private same(slot: number, view: DataView, at: number): boolean {
    const length = this.lengths[slot] as number;
    const words = this.words;
    let word = slot * this.wordsPerSlot;
    if (length < 8) {
      return shortWord(view, at, length) === words[word];
    }
    const last = at + length - 8;
    for (let from = at; from < last; from += 8) {
      if (view.getFloat64(from, true) !== words[word++]) return false;
    }
    return view.getFloat64(last, true) === words[word];
  }
}

/** Four to seven bytes as one exact number: of two overlapping words, the second without the bytes they share. */
function shortWord(view: DataView, at: number, length: number): number {
  const rest = view.getInt32(at + length - 4, true) >>> (8 * (8 - length));
  return view.getInt32(at, true) + (length === 4 ? 0 : rest) * 0x100000000;
}
