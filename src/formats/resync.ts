/** Finds where records go on behind damage inside a line. */

/** How far before a place of damage the next record of the same line may begin. */
export const REWIND = 256;
/** How a record begins that was written behind a torn one without a line end between them. */
const EVENT_START = Buffer.from('{"kind":"Event","apiVersion":"audit.k8s.io/');
/** The same for an item of a list body. */
const ITEM_START = Buffer.from('{"level":"');
const WINDOW = 4096;

/** Bytes at the end of a chunk that may be the beginning of a start that goes on in the next. */
export const OVERLAP = EVENT_START.length - 1;

export interface Resync {
  readonly found: 'record' | 'line-end' | 'nothing';
  readonly at: number;
}

/**
 * The next record or the end of the line from `start` on, whatever comes first; items of lists only if `inList`.
 * It looks at a window at a time, so that the cost is that of the way made.
 */
export function findRecord(bytes: Buffer, start: number, inList: boolean): Resync {
  for (let from = start; from < bytes.length; from += WINDOW) {
    const window = bytes.subarray(from, from + WINDOW + OVERLAP);
    const lineEnd = window.indexOf(10);
    const line = lineEnd < 0 ? window : window.subarray(0, lineEnd);
    const event = line.indexOf(EVENT_START);
    const item = inList ? line.indexOf(ITEM_START) : -1;
    const found = event < 0 || (item >= 0 && item < event) ? item : event;
    if (found >= 0) return { found: 'record', at: from + found };
    if (lineEnd >= 0) return { found: 'line-end', at: from + lineEnd };
  }
  return { found: 'nothing', at: bytes.length };
}
