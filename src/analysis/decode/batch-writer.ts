/** Turns the records of one stretch of content into a message that can change threads. */

import { hashAuditID } from '../../correlate/requests/audit-id-hash.js';
import { DecodedEvent, TextLogLine } from '../../formats/index.js';
import type { AuditEvent, Rec } from '../../model/record.js';
import { columnMemory, EventColumns } from './event-columns.js';
import { ClientTable, TargetTable } from './facets.js';
import type { Batch, SentRecord, Stretch } from './messages.js';

/** Longer names stay in their events; Kubernetes allows 253 characters. */
const MAX_NAME = 253;

/** What the channel says of a batch. */
export type BatchHead = Pick<Batch, 'channel' | 'last' | 'pieces' | 'length'>;

/** What is counted so far, and who sent the records. */
export type Counts = Pick<Batch, 'senderOf' | 'senders' | 'bytes' | 'records' | 'problems'>;

/** One for the thread: its tables serve all inputs. */
export class BatchWriter {
  #clients = new ClientTable();
  #targets = new TargetTable();
  #tablesAreNew = true;
  /** Memory of columns that came back to be used again. */
  readonly spare: ArrayBuffer[] = [];

  /** The message, and what of it changes hands. The content of the records lies in `memory`, or in memory of its own. */
  write(
    records: readonly Rec[],
    head: BatchHead,
    counts: Counts,
    memory: SharedArrayBuffer | undefined,
  ): [Batch, ArrayBuffer[]] {
    const isFull = this.#clients.book.isFull || this.#targets.book.isFull;
    if (isFull) {
      this.#clients = new ClientTable();
      this.#targets = new TargetTable();
    }
    const anew = isFull || this.#tablesAreNew;
    this.#tablesAreNew = false;
    const rows = new Rows(memory, this.#clients, this.#targets);
    const events = countEvents(records);
    const columns = new EventColumns(events, columnMemory(events, this.spare));
    const { others, places } = rows.put(records, columns);
    const clients = this.#clients.book.takeFresh();
    const targets = this.#targets.book.takeFresh();
    const { apart, stretches, names } = rows;
    const batch: Batch = {
      type: 'batch',
      ...head,
      ...counts,
      apart,
      stretches,
      events,
      columns: columns.memory,
      names,
      others,
      places,
      anew,
      clients,
      targets,
    };
    return [batch, [...apart, columns.memory]];
  }
}

/** What the columns say of a request: see EventColumns. `clients` is the table that its number is of. */
class RequestRow {
  constructor(
    readonly clients: ClientTable,
    readonly client: number,
    readonly target: number,
    readonly idHash: number,
  ) {}
}

/** The rows of one batch. */
class Rows {
  readonly apart: ArrayBuffer[] = [];
  readonly stretches: Stretch[] = [];
  readonly names: string[] = [];
  #lastBytes: Buffer | undefined;

  constructor(
    private readonly memory: SharedArrayBuffer | undefined,
    private readonly clients: ClientTable,
    private readonly targets: TargetTable,
  ) {}

  /** Puts the events into the columns; gives all other records, and how many events come before each. */
  put(records: readonly Rec[], columns: EventColumns): Pick<Batch, 'others' | 'places'> {
    const others: SentRecord[] = [];
    const places: number[] = [];
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
    return { others, places };
  }

  #put(columns: EventColumns, at: number, event: AuditEvent): void {
    if (event.bytes !== this.#lastBytes) this.#enter(event.bytes);
    columns.put(at, event, this.stretches.length - 1, this.#requestOf(event), this.#name(event));
  }

  /** Worked out once for all stages of a request that follow one another. */
  #requestOf(event: AuditEvent): RequestRow {
    const request = event instanceof DecodedEvent ? event.request : undefined;
    const known = request?.note;
    if (known instanceof RequestRow && known.clients === this.clients) return known;
    const row = new RequestRow(
      this.clients,
      this.clients.id(event),
      this.targets.id(event),
      hashAuditID(event.auditID),
    );
    if (request !== undefined) request.note = row;
    return row;
  }

  /** The names of what comes and goes are asked for; others hardly ever. */
  #name({ verb, name, namespace }: AuditEvent): number {
    if ((verb !== 'create' && verb !== 'delete') || namespace === '' || name.length > MAX_NAME) return -1;
    return this.names.push(name) - 1;
  }

  /** The events that follow lie in other bytes. */
  #enter(bytes: Buffer): void {
    this.#lastBytes = bytes;
    const apart = bytes.buffer === this.memory ? -1 : this.apart.push(ownMemory(bytes)) - 1;
    this.stretches.push({ apart, from: apart < 0 ? bytes.byteOffset : 0, length: bytes.length });
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
