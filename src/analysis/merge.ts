/** Merges inputs by event time: halves of one request may be hours apart in their files and still meet. */
import type { InputRef } from '../model/origin.js';
import type { Rec } from '../model/record.js';
import type { RecordReader, Records } from './record-reader.js';
import { timeOf } from './survey.js';

export interface MergeInput {
  readonly reader: RecordReader;
  /** No record of the input is older; it is not opened before the others reach this time. */
  readonly beginsAt: number;
}

export type Take = (record: Rec, input: InputRef) => void;

/** One input in the merge: its current batch and the time of its next record. */
class Cursor {
  batch: Records = [];
  at = 0;
  time: number;

  constructor(
    readonly reader: RecordReader,
    beginsAt: number,
  ) {
    this.time = beginsAt;
  }

  /** Moves to the next record; false at the end. Undated records take the time of what came before them. */
  async settle(): Promise<boolean> {
    while (this.at >= this.batch.length) {
      const batch = await this.reader.next();
      if (batch === undefined) return false;
      this.batch = batch;
      this.at = 0;
    }
    const time = timeOf(this.batch.at(this.at) as Rec);
    if (time > 0) this.time = time;
    return true;
  }
}

/** Takes all records; each input in its own order, over all inputs the oldest first. Stops when aborted. */
export async function mergeByTime(
  inputs: readonly MergeInput[],
  take: Take,
  signal: AbortSignal | undefined,
): Promise<void> {
  const heap = new CursorHeap(inputs.map(({ reader, beginsAt }) => new Cursor(reader, beginsAt)));
  for (let cursor = heap.top(); cursor !== undefined; cursor = heap.top()) {
    if (signal?.aborted === true) return;
    // An input whose turn has come by its begin is only now opened, and the order may change. After that the time of
    // every next record is known, so that the order does not depend on how inputs are cut into batches.
    if (cursor.at < cursor.batch.length) run(cursor, heap.second(), take);
    if (cursor.at < cursor.batch.length || (await cursor.settle())) heap.sink();
    else heap.pop();
  }
}

/** Takes the cursor's records up to the one before which the second comes. */
function run(cursor: Cursor, second: Cursor | undefined, take: Take): void {
  const { batch, reader } = cursor;
  const { input, inputs } = reader;
  const until = second?.time ?? Number.POSITIVE_INFINITY;
  const yields = second !== undefined && second.reader.input.id < input.id;
  let at = cursor.at;
  let time = cursor.time;
  while (at < batch.length) {
    const record = batch.at(at) as Rec;
    const own = timeOf(record);
    if (own > 0) {
      time = own;
      if (time > until || (yields && time === until)) break;
    }
    take(record, inputs === undefined ? input : (inputs[at] as InputRef));
    at += 1;
  }
  cursor.at = at;
  cursor.time = time;
  if (at >= batch.length) cursor.batch = [];
}

/** A binary heap of cursors by time, then by the input's number. */
class CursorHeap {
  readonly #items: Cursor[];

  constructor(cursors: Cursor[]) {
    this.#items = cursors;
    for (let at = (cursors.length >> 1) - 1; at >= 0; at -= 1) this.#down(at);
  }

  top(): Cursor | undefined {
    return this.#items[0];
  }

  /** The cursor that comes next after the top. */
  second(): Cursor | undefined {
    const [, left, right] = this.#items;
    return left === undefined || before(right, left) ? right : left;
  }

  /** Restores the order after the top's time changed. */
  sink(): void {
    this.#down(0);
  }

  pop(): void {
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) {
      this.#items[0] = last;
      this.#down(0);
    }
  }

  #down(from: number): void {
    const items = this.#items;
    let at = from;
    for (;;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < items.length && before(items[child], items[least])) least = child;
      if (least === at) return;
      const moved = items[at] as Cursor;
      items[at] = items[least] as Cursor;
      items[least] = moved;
      at = least;
    }
  }
}

function before(a: Cursor | undefined, b: Cursor | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.time < b.time || (a.time === b.time && a.reader.input.id < b.reader.input.id);
}
