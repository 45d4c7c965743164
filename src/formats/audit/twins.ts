/**
 * Remembers the request of an event until its next stage comes: the events of one Audit-ID say the same about the
 * request, byte for byte, so that the second one need only be compared with the first.
 */
import type { RequestPart } from './decoded-event.js';
import { marksOf, QUOTE } from './skip.js';
import { Slots } from './slots.js';
import type { SlicedBuffer } from './text.js';

const SLOTS = 512;
/** The Audit-IDs that servers make have 36 characters; others, which clients chose, are not remembered. */
const ID_BYTES = 36;
/** Bytes of such an ID with its quotes. */
export const QUOTED_ID_BYTES = ID_BYTES + 2;
const MULTIPLIER = 0x9e3779b1;

/** The request that the members between `stage` and `responseStatus` were about. */
export class Twin {
  /** Which chunk the span lies in; spans of other chunks are not compared. */
  chunk = 0;
  start = 0;
  length = 0;
  uriHash = 0;
  seed = 0;
  request: RequestPart | undefined = undefined;

  constructor(readonly auditID: string) {}
}

export class Twins {
  private readonly slots = new Slots<Twin | undefined>(SLOTS, 40, undefined);

  /** The twin of the ID whose opening quote is at `at`: an older one, or a new and empty one; undefined for an unusual ID. */
  at(bytes: SlicedBuffer, view: DataView, at: number, end: number): Twin | undefined {
    if (at + QUOTED_ID_BYTES > end) return undefined;
    const mixed = Math.imul(view.getInt32(at + 1, true), MULTIPLIER) ^ view.getInt32(at + 5, true);
    const hash = Math.imul(mixed ^ (mixed >>> 15), MULTIPLIER) >>> 8;
    const slot = this.slots.find(hash, view, at, QUOTED_ID_BYTES);
    return slot >= 0 ? this.slots.values[slot] : this.add(hash, bytes, view, at);
  }

  private add(hash: number, bytes: SlicedBuffer, view: DataView, at: number): Twin | undefined {
    if (bytes[at] !== QUOTE || bytes[at + ID_BYTES + 1] !== QUOTE) return undefined;
    let marks = 0;
    for (let from = at + 1; from <= at + ID_BYTES - 3; from += 4) marks |= marksOf(view.getInt32(from, true));
    if (marks !== 0) return undefined;
    const twin = new Twin(bytes.latin1Slice(at + 1, at + 1 + ID_BYTES));
    this.slots.put(hash, view, at, QUOTED_ID_BYTES, twin);
    return twin;
  }
}

/** Whether the bytes at two places are the same; the first must hold no NUL. */
export function sameSpan(view: DataView, left: number, right: number, length: number): boolean {
  if (length < 8) return false;
  const last = length - 8;
  for (let from = 0; from < last; from += 8) {
    if (view.getFloat64(left + from, true) !== view.getFloat64(right + from, true)) return false;
  }
  return view.getFloat64(left + last, true) === view.getFloat64(right + last, true);
}
