/** Turns the records of one stretch of content into a message that can change threads. */

import { TextLogLine } from '../../formats/index.js';
import type { AuditEvent, Rec } from '../../model/record.js';
import { columnMemory, EventColumns } from './event-columns.js';
import { ClientTable, TargetTable } from './facets.js';
import type { Batch, SentRecord, Step, Stretch } from './messages.js';

/** Longer names stay in their events; Kubernetes allows 253 characters. */
const MAX_NAME = 253;

/** What is counted so far, and who sent the records. */
export type Counts = Pick<Step, 'senderOf' | 'senders' | 'bytes' | 'records' | 'problems'>;

/** One for the thread: its tables serve all inputs. */
export class BatchWriter {
  #clients = new ClientTable();
  #targets = new TargetTable();
  #tablesAreNew = true;
  /** Memory of columns that came back to be used again. */
  readonly spare: ArrayBuffer[] = [];

  /** Rows that are sent with a batch must not be from before a new beginning: called before the batch's first step. */
  begin(memory: SharedArrayBuffer | undefined): OpenBatch {
    if (this.#clients.book.isFull || this.#targets.book.isFull) {
      this.#clients = new ClientTable();
      this.#targets = new TargetTable();
      this.#tablesAreNew = true;
    }
    return new OpenBatch(memory, this.#clients, this.#targets, this.spare);
  }

  /** The message, and what of it changes hands. */
  finish(open: OpenBatch, channel: number, length: number, last: boolean, pieces: number): [Batch, ArrayBuffer[]] {
    const anew = this.#tablesAreNew;
    this.#tablesAreNew = false;
    const clients = this.#clients.book.takeFresh();
    const targets = this.#targets.book.takeFresh();
    const { apart, steps } = open;
    const batch: Batch = { type: 'batch', channel, last, pieces, length, apart, steps, anew, clients, targets };
    return [batch, [...apart, ...steps.map(({ columns }) => columns)]];
  }
}

/** The batch that is being written. */
export class OpenBatch {
  readonly apart: ArrayBuffer[] = [];
  readonly steps: Step[] = [];
  readonly #memory: SharedArrayBuffer | undefined;
  readonly #clients: ClientTable;
  readonly #targets: TargetTable;
  #stretches: Stretch[] = [];
  #names: string[] = [];
  #lastBytes: Buffer | undefined;

  constructor(
    memory: SharedArrayBuffer | undefined,
    clients: ClientTable,
    targets: TargetTable,
    private readonly spare: ArrayBuffer[],
  ) {
    this.#memory = memory;
    this.#clients = clients;
    this.#targets = targets;
  }

  add(records: readonly Rec[], counts: Counts): void {
    const others: SentRecord[] = [];
    const places: number[] = [];
    const count = countEvents(records);
    const columns = new EventColumns(count, columnMemory(count, this.spare));
    this.#stretches = [];
    this.#names = [];
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
    this.steps.push({ stretches, events: at, columns: columns.memory, names: this.#names, others, places, ...counts });
  }

  #put(columns: EventColumns, at: number, event: AuditEvent): void {
    if (event.bytes !== this.#lastBytes) this.#enter(event.bytes);
    const stretch = this.#stretches.length - 1;
    columns.put(at, event, stretch, this.#clients.id(event), this.#targets.id(event), this.#name(event));
  }

  /** The names of what comes and goes are asked for; others hardly ever. */
  #name({ verb, name, namespace }: AuditEvent): number {
    if ((verb !== 'create' && verb !== 'delete') || namespace === '' || name.length > MAX_NAME) return -1;
    return this.#names.push(name) - 1;
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
