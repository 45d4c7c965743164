/** One partition as a stream of records: batches wait here as bytes and are decoded, a little at a time, when their turn comes. */
import { timeOf } from '../analysis/survey.js';
import type { Assigned, MessageBatch } from '../kafka/port.js';
import type { Rec } from '../model/record.js';
import type { ServiceInput } from './inputs.js';
import { MessageReader, type ReaderContext } from './message-reader.js';
import { OffsetLedger } from './offset-ledger.js';
import { Progress } from './progress.js';
import type { RecordStream, TakeRecord } from './record-stream.js';
import type { Span } from './time-order.js';

/** Bytes decoded at once: events refer to them, and whoever remembers events counts the memory of their neighbours. */
const STEP_BYTES = 128 * 1024;

export function openPartition(
  { topic, partition, begin, high }: Assigned,
  nowMs: number,
  context: ReaderContext,
): PartitionStream {
  return new PartitionStream(topic, partition, begin, high, nowMs, context);
}

export class PartitionStream implements RecordStream {
  readonly ledger: OffsetLedger;
  /** Event time of the record that was given last, in microseconds; undefined before the first. */
  lastUs: number | undefined;
  readonly progress = new Progress();
  /** One above the last offset of the partition, as far as is known. */
  end: number;
  paused = false;
  /** Milliseconds since something was heard of the partition; of any clock. */
  heardAtMs: number;
  /** Bytes of batches that wait. */
  queuedBytes = 0;
  readonly #batches: MessageBatch[] = [];
  /** The message of the oldest batch that is decoded next. */
  #message = 0;
  /** All of it is decoded, and its last records are being given. */
  #decoded: MessageBatch | undefined;
  readonly #reader: MessageReader;
  readonly #context: ReaderContext;
  /** Which of the records that were decoded is next. */
  #at = 0;
  #received: number;

  constructor(
    readonly topic: string,
    readonly partition: number,
    position: number,
    end: number,
    nowMs: number,
    context: ReaderContext,
  ) {
    this.ledger = new OffsetLedger(position);
    this.end = end;
    this.heardAtMs = nowMs;
    this.#received = position;
    this.#context = context;
    this.#reader = new MessageReader(topic, partition, context);
  }

  /** Messages that could not be read, or not all of them. */
  get damaged(): number {
    return this.#reader.damaged;
  }

  /** Records whose sender was one too many. */
  get unnamed(): number {
    return this.#reader.unnamed;
  }

  /** The next offset that is to be fetched. */
  get received(): number {
    return this.#received;
  }

  push(batch: MessageBatch): void {
    const last = batch.offsets[batch.offsets.length - 1];
    if (batch.highWatermark > this.end) this.end = batch.highWatermark;
    if (last === undefined || last < this.#received) return;
    this.#received = last + 1;
    this.#context.lent?.take(batch);
    this.#batches.push(batch);
    this.queuedBytes += batch.bytes.length;
  }

  /** A fetch found nothing behind `offset`: what lies before it and was not handed out is no message. */
  reachedEnd(offset: number): void {
    if (offset > this.#received) this.#received = offset;
    if (offset > this.end) this.end = offset;
  }

  isFull(share: number): boolean {
    return this.queuedBytes >= share;
  }

  hasRoom(share: number): boolean {
    return this.queuedBytes < share / 2;
  }

  /** Offset of the message whose record is given next, or one above all that was read. */
  get nextOffset(): number {
    return this.#reader.offsets[this.#at] ?? this.#decodedTo();
  }

  get isEmpty(): boolean {
    return this.#at >= this.#reader.records.length && this.#batches.length === 0;
  }

  /** Everything that the partition holds was given. */
  get isAtEnd(): boolean {
    return this.isEmpty && this.#received >= this.end;
  }

  /** Time of the next record in microseconds, that of the one before it where it has none; undefined when none waits. */
  nextUs(): number | undefined {
    while (this.#at >= this.#reader.records.length) if (!this.#decode()) return undefined;
    const time = timeOf(this.#reader.records[this.#at] as Rec);
    return time > 0 ? time : (this.lastUs ?? 0);
  }

  /** See RecordStream; `take` gives the slot of each record, undefined for one that came too late. */
  give({ fromUs, untilUs }: Span, limit: number, take: TakeRecord): number {
    let given = 0;
    while (given < limit) {
      const time = this.nextUs();
      if (time === undefined || time > untilUs || time < fromUs) break;
      const record = this.#reader.records[this.#at] as Rec;
      const input = this.#reader.inputs[this.#at] as ServiceInput;
      const slot = take(record, input.ref);
      if (slot === undefined) input.problem(this.#context.currentSlot(), 'late');
      else {
        input.count(slot, 1, record.type === 'audit' ? record.end - record.start : 1);
        this.ledger.note(slot, this.#reader.offsets[this.#at] as number);
      }
      this.lastUs = time;
      this.progress.note(time);
      this.#at += 1;
      given += 1;
    }
    if (this.#at >= this.#reader.records.length) this.ledger.advance(this.#decodedTo());
    return given;
  }

  /** Decodes some messages; false when there is none. */
  #decode(): boolean {
    this.#reader.clear();
    this.#at = 0;
    if (this.#decoded !== undefined) this.#context.lent?.done(this.#decoded);
    this.#decoded = undefined;
    const batch = this.#batches[0];
    if (batch === undefined) {
      this.ledger.advance(this.#received);
      return false;
    }
    const { starts, ends, offsets } = batch;
    const first = this.#message;
    const from = starts[first] ?? 0;
    let last = first;
    while (last < offsets.length && ((ends[last] as number) <= from + STEP_BYTES || last === first)) last += 1;
    const bytes = batch.bytes.subarray(from, ends[last - 1]);
    for (let message = first; message < last; message += 1) {
      if ((offsets[message] as number) >= this.ledger.position) this.#reader.read(batch, message, bytes, from);
    }
    this.#message = last;
    if (last >= offsets.length) {
      this.#decoded = this.#batches.shift();
      this.#message = 0;
      this.queuedBytes -= batch.bytes.length;
    }
    return true;
  }

  /** The offset behind the messages that were decoded so far. */
  #decodedTo(): number {
    const batch = this.#batches[0];
    return batch === undefined ? this.#received : (batch.offsets[this.#message] ?? this.#received);
  }
}
