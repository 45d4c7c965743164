/** Turns the records of one stretch of content into a message that can change threads. */

import { TextLogLine } from '../../formats/index.js';
import type { AuditEvent, Rec } from '../../model/record.js';
import { EventColumns, IDFinder } from './event-columns.js';
import { ClientTable, TargetTable } from './facets.js';
import type { Batch, SentRecord, Step, Stretch } from './messages.js';

/** What is counted so far. */
export type Counts = Pick<Step, 'bytes' | 'records' | 'problems'>;

/** One for the thread: its tables serve all inputs. */
export class BatchWriter {
  #clients = new ClientTable();
  #targets = new TargetTable();
  #tablesAreNew = true;
  readonly #ids = new IDFinder();

  /** Rows that are sent with a batch must not be from before a new beginning: called before the batch's first step. */
  begin(memory: SharedArrayBuffer): OpenBatch {
    if (this.#clients.book.isFull || this.#targets.book.isFull) {
      this.#clients = new ClientTable();
      this.#targets = new TargetTable();
      this.#tablesAreNew = true;
    }
    return new OpenBatch(memory, this.#clients, this.#targets, this.#ids);
  }

  /** The message, and what of it changes hands. */
  finish(open: OpenBatch, channel: number, last: boolean, pieces: number): [Batch, ArrayBuffer[]] {
    const anew = this.#tablesAreNew;
    this.#tablesAreNew = false;
    const clients = this.#clients.book.takeFresh();
    const targets = this.#targets.book.takeFresh();
    const { apart, steps } = open;
    const batch: Batch = { type: 'batch', channel, last, pieces, apart, steps, anew, clients, targets };
    return [batch, [...apart, ...steps.map(({ columns }) => columns)]];
  }
}

/** The batch that is being written. */
export class OpenBatch {
  readonly apart: ArrayBuffer[] = [];
  readonly steps: Step[] = [];
  readonly #memory: SharedArrayBuffer;
  readonly #clients: ClientTable;
  readonly #targets: TargetTable;
  readonly #ids: IDFinder;
  #stretches: Stretch[] = [];
  #lastBytes: Buffer | undefined;

  constructor(memory: SharedArrayBuffer, clients: ClientTable, targets: TargetTable, ids: IDFinder) {
    this.#memory = memory;
    this.#clients = clients;
    this.#targets = targets;
    this.#ids = ids;
  }

  add(records: readonly Rec[], counts: Counts): void {
    const others: SentRecord[] = [];
    const places: number[] = [];
    const columns = new EventColumns(countEvents(records));
    this.#stretches = [];
    this.#lastBytes = undefined;
    let at = 0;
    for (const record of records) {
      if (record.type === 'audit') {
        this.#put(columns, at, record);
        at += 1;
      } else {
        others.push(record instanceof TextLogLine ? record.unread() : record);
        places.push(at);
      }
    }
    const stretches = this.#stretches;
    this.steps.push({ stretches, events: at, columns: columns.memory, others, places, ...counts });
  }

  #put(columns: EventColumns, at: number, event: AuditEvent): void {
    if (event.bytes !== this.#lastBytes) this.#enter(event.bytes);
    const stretch = this.#stretches.length - 1;
    columns.put(at, event, stretch, this.#clients.id(event), this.#targets.id(event), this.#ids.find(event));
  }

  /** The events that follow lie in other bytes. */
  #enter(bytes: Buffer): void {
    this.#lastBytes = bytes;
    const apart = bytes.buffer === this.#memory ? -1 : this.apart.push(ownMemory(bytes)) - 1;
    this.#stretches.push({ apart, from: apart < 0 ? bytes.byteOffset : 0, length: bytes.length });
  }
}

function countEvents(records: readonly Rec[]): number {
  let count = 0;
  for (const record of records) if (record.type === 'audit') count += 1;
  return count;
}

/** A copy of the bytes in memory of their own. */
export function ownMemory(bytes: Uint8Array): ArrayBuffer {
  const memory = new ArrayBuffer(bytes.length);
  new Uint8Array(memory).set(bytes);
  return memory;
}
