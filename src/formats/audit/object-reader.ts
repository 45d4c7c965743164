/** Reads a few named fields of one JSON object from bytes and passes over the others. */
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  QUOTE,
  skipColon,
  skipNumber,
  skipSpace,
  skipString,
  skipValue,
} from './skip.js';
import { Slots } from './slots.js';
import type { SlicedBuffer, TextReader } from './text.js';

export type FieldKind = 'text' | 'list' | 'number';

/** Containers around the members of an object that is itself a value of the event. */
const DEPTH = 2;

const KEY_SLOTS = 64;
const KEY_BYTES = 40;

export class ObjectReader {
  /** Behind the object that was read last; -1 when it was damaged. */
  next = -1;
  /** The fields by their position in the constructor's argument: '' when absent or of another type. */
  readonly texts: string[] = [];
  /** The field of kind number; 0 when absent or of another type. */
  number = 0;
  private readonly kinds: FieldKind[] = [];
  private readonly keys = new Slots<number>(KEY_SLOTS, KEY_BYTES, -1);
  private readonly indices = new Map<string, number>();

  /** `fields` by name; of kind number there may be one. */
  constructor(
    private readonly reader: TextReader,
    fields: Readonly<Record<string, FieldKind>>,
  ) {
    for (const [name, kind] of Object.entries(fields)) {
      this.indices.set(name, this.kinds.length);
      this.kinds.push(kind);
      this.texts.push('');
    }
  }

  /** Reads the object whose opening brace is at `at`; sets `next`, `texts` and `number`. */
  read(bytes: SlicedBuffer, view: DataView, at: number, end: number): void {
    for (let index = 0; index < this.texts.length; index++) this.texts[index] = '';
    this.number = 0;
    this.next = -1;
    at++;
    if (at < end && bytes[at] !== QUOTE) at = skipSpace(bytes, at, end);
    if (at < end && bytes[at] === CLOSE_OBJECT) {
      this.next = at + 1;
      return;
    }
    while (at < end && bytes[at] === QUOTE) {
      const index = this.key(bytes, view, at, end);
      if (this.next < 0) return;
      at = this.next;
      this.next = -1;
      if (at + 1 < end && bytes[at] === COLON && bytes[at + 1] === QUOTE) at++;
      else at = skipColon(bytes, at, end);
      if (at < 0) return;
      if (index >= 0) at = this.field(index, bytes, view, at, end);
      else if (at < end && bytes[at] === QUOTE) at = skipString(bytes, view, at, end);
      else at = skipValue(bytes, view, at, end, DEPTH);
      if (at < 0) return;
      let byte = at < end ? (bytes[at] as number) : 0;
      if (byte <= 0x20) {
        at = skipSpace(bytes, at, end);
        byte = at < end ? (bytes[at] as number) : 0;
      }
      if (byte === CLOSE_OBJECT) {
        this.next = at + 1;
        return;
      }
      if (byte !== COMMA) return;
      at++;
      if (at < end && bytes[at] !== QUOTE) at = skipSpace(bytes, at, end);
    }
  }

  /** The index of the field whose key is at `at`, -1 for another key; sets `next`. */
  private key(bytes: SlicedBuffer, view: DataView, at: number, end: number): number {
    const hash = at + 5 <= end ? Math.imul(view.getInt32(at + 1, true), 0x9e3779b1) >>> 20 : 0;
    const slot = this.keys.find(hash, view, at, end - at);
    if (slot >= 0) {
      this.next = at + (this.keys.lengths[slot] as number);
      return this.keys.values[slot] as number;
    }
    const name = this.reader.read(bytes, view, at, end);
    this.next = this.reader.next;
    const index = this.indices.get(name) ?? -1;
    if (this.next >= 0) this.keys.put(hash, view, at, this.next - at, index);
    return index;
  }

  /** Reads the value at `at` into the field; gives the position behind it, -1 for damage. */
  private field(index: number, bytes: SlicedBuffer, view: DataView, at: number, end: number): number {
    const first = at < end ? (bytes[at] as number) : 0;
    const kind = this.kinds[index];
    if (kind === 'text' && first === QUOTE) {
      this.texts[index] = this.reader.read(bytes, view, at, end);
      return this.reader.next;
    }
    if (kind === 'number') {
      const behind = first === 0x2d || (first >= 0x30 && first <= 0x39) ? skipNumber(bytes, at, end) : 0;
      this.number = behind > 0 ? Number(bytes.latin1Slice(at, behind)) : 0;
      return behind === 0 ? skipValue(bytes, view, at, end, DEPTH) : behind;
    }
    if (kind === 'list' && first === OPEN_ARRAY) {
      this.texts[index] = readList(this.reader, bytes, view, at, end, DEPTH);
      return this.reader.next;
    }
    this.texts[index] = '';
    return skipValue(bytes, view, at, end, DEPTH);
  }
}

/** The strings of the array at `at`, joined by ','; sets the reader's `next`. `depth` containers are open around it. */
export function readList(
  reader: TextReader,
  bytes: SlicedBuffer,
  view: DataView,
  at: number,
  end: number,
  depth: number,
): string {
  let joined = '';
  let count = 0;
  at = skipSpace(bytes, at + 1, end);
  if (at < end && bytes[at] === CLOSE_ARRAY) {
    reader.next = at + 1;
    return joined;
  }
  for (;;) {
    if (at < end && bytes[at] === QUOTE) {
      const item = reader.read(bytes, view, at, end);
      joined = count === 0 ? item : `${joined},${item}`;
      count++;
      at = reader.next;
    } else at = skipValue(bytes, view, at, end, depth + 1);
    if (at >= 0) at = skipSpace(bytes, at, end);
    const byte = at >= 0 && at < end ? bytes[at] : 0;
    reader.next = byte === CLOSE_ARRAY ? at + 1 : -1;
    if (byte !== COMMA) return joined;
    at = skipSpace(bytes, at + 1, end);
  }
}
