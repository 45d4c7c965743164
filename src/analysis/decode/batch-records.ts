/**
 * The records of a batch that another thread decoded. Events are made when they are asked for, and so die young: the
 * garbage collector would have to carry along those of whole batches that wait for their turn.
 */
import type { Reread } from '../../correlate/requests/recent-events.js';
import { TextLogLine } from '../../formats/index.js';
import type { AuditEvent, Rec } from '../../model/record.js';
import type { Records } from '../record-reader.js';
import { BatchEvent, stale } from './batch-event.js';
import type { Arrived } from './batch-reader.js';
import { EventColumns } from './event-columns.js';
import type { Client, Target } from './facets.js';
import type { Memory } from './memories.js';
import type { SentRecord } from './messages.js';

export class BatchRecords implements Records {
  readonly length: number;
  readonly columns: EventColumns;
  readonly names: readonly string[];
  readonly #buffers: readonly Buffer[];
  readonly #clients: readonly Client[];
  readonly #targets: readonly Target[];
  readonly #others: readonly Rec[];
  /** For each record the number of the event, or, below 0, of the other one; undefined where all are events. */
  readonly #order: Int32Array | undefined;
  /** How often the memory had been used: once it is used again, the events' bytes are others. */
  readonly #use: number;

  /** The content of the batch lies in `memory`. */
  constructor(
    { batch, tables }: Arrived,
    private readonly memory: Memory,
    private readonly reread: Reread,
  ) {
    this.length = batch.events + batch.others.length;
    this.columns = new EventColumns(batch.events, batch.columns);
    this.names = batch.names;
    this.#buffers = batch.stretches.map(({ apart, from, length }) =>
      Buffer.from(batch.apart[apart] ?? memory.bytes, from, length),
    );
    this.#clients = tables.clients;
    this.#targets = tables.targets;
    this.#others = batch.others.map(received);
    this.#order = batch.others.length === 0 ? undefined : orderOf(batch.events, batch.places);
    this.#use = memory.uses;
  }

  at(index: number): Rec | undefined {
    if (index >= this.length) return undefined;
    const at = this.#order === undefined ? index : (this.#order[index] as number);
    return at < 0 ? this.#others[-1 - at] : new BatchEvent(this, at);
  }

  *[Symbol.iterator](): Generator<Rec> {
    for (let at = 0; at < this.length; at += 1) yield this.at(at) as Rec;
  }

  bytesOf(event: number): Buffer {
    return this.#buffers[this.columns.stretch[event] ?? stale()] as Buffer;
  }

  /** Undefined where it is too long for the table. */
  clientOf(event: number): Client | undefined {
    return this.#clients[this.columns.client[event] as number];
  }

  targetOf(event: number): Target | undefined {
    return this.#targets[this.columns.target[event] as number];
  }

  readEvent(event: number): AuditEvent {
    this.checkUse();
    const { start, end, line, offset } = this.columns;
    const [from, to] = [start[event] as number, end[event] as number];
    const place = offset[event] as number;
    const read = this.reread(this.bytesOf(event), from, to, line[event] as number, place);
    if (read === undefined) throw new Error(`the event at byte ${place} was decoded once, but not again`);
    return read;
  }

  /** Throws when the batch was given back. */
  checkUse(): void {
    if (this.memory.uses !== this.#use) stale();
  }
}

/** `places`: how many events come before each of the other records. */
function orderOf(events: number, places: readonly number[]): Int32Array {
  const order = new Int32Array(events + places.length);
  let other = 0;
  for (let event = 0; event <= events; event += 1) {
    for (; other < places.length && (places[other] as number) <= event; other += 1) order[event + other] = -1 - other;
    if (event < events) order[event + other] = event;
  }
  return order;
}

function received(record: SentRecord): Rec {
  return record.type === 'unread' ? TextLogLine.of(record) : record;
}
