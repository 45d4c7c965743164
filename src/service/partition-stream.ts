/** One partition as a stream of records: batches wait here as bytes and are decoded, a little at a time, when their turn comes. */
import { timeOf } from '../analysis/survey.js';
import { type AuditDecoder, MessageDecoder } from '../formats/index.js';
import type { MessageBatch, Sender } from '../kafka/port.js';
import { partitionLine } from '../model/origin.js';
import type { Problem, Rec } from '../model/record.js';
import type { ServiceInput, ServiceInputs } from './inputs.js';
import { OffsetLedger } from './offset-ledger.js';

/** Bytes decoded at once: events refer to them, and whoever remembers events counts the memory of their neighbours. */
const STEP_BYTES = 128 * 1024;

/** A message that could not be read, or not all of it. */
export interface DamagedMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** The message's value. */
  readonly value: Buffer;
  readonly problems: readonly Problem[];
}

export interface StreamContext {
  readonly audit: AuditDecoder;
  readonly inputs: ServiceInputs;
  readonly maxMessageBytes: number;
  onDamaged(message: DamagedMessage): void;
  /** The slot that counts for what has no time of its own. */
  currentSlot(): number;
}

export class PartitionStream {
  readonly ledger: OffsetLedger;
  /** Event time of the record that was given last, in microseconds; undefined before the first. */
  lastUs: number | undefined;
  /** One above the last offset of the partition, as far as is known. */
  end: number;
  /** Messages that could not be read, or not all of them. */
  damaged = 0;
  paused = false;
  /** Milliseconds since something was heard of the partition; of any clock. */
  heardAtMs: number;
  /** Bytes of batches that wait. */
  queuedBytes = 0;
  readonly #batches: MessageBatch[] = [];
  /** The message of the oldest batch that is decoded next. */
  #message = 0;
  #decoder: MessageDecoder | undefined;
  readonly #context: StreamContext;
  /** Records that were decoded, each with its input and offset, and which of them is next. */
  #records: Rec[] = [];
  #inputs: ServiceInput[] = [];
  #offsets: number[] = [];
  #at = 0;

  constructor(
    readonly topic: string,
    readonly partition: number,
    position: number,
    end: number,
    nowMs: number,
    context: StreamContext,
  ) {
    this.ledger = new OffsetLedger(position);
    this.end = end;
    this.heardAtMs = nowMs;
    this.#received = position;
    this.#context = context;
  }

  #received: number;

  /** The next offset that is to be fetched. */
  get received(): number {
    return this.#received;
  }

  push(batch: MessageBatch): void {
    const last = batch.offsets[batch.offsets.length - 1];
    if (batch.highWatermark > this.end) this.end = batch.highWatermark;
    if (last === undefined || last < this.#received) return;
    this.#received = last + 1;
    this.#batches.push(batch);
    this.queuedBytes += batch.bytes.length;
  }

  /** A fetch found nothing behind `offset`: what lies before it and was not handed out is no message. */
  reachedEnd(offset: number): void {
    if (offset > this.#received) this.#received = offset;
    if (offset > this.end) this.end = offset;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#records.length && this.#batches.length === 0;
  }

  /** Everything that the partition holds was given. */
  get isAtEnd(): boolean {
    return this.isEmpty && this.#received >= this.end;
  }

  /** Time of the next record in microseconds, that of the one before it where it has none; undefined when none waits. */
  nextUs(): number | undefined {
    while (this.#at >= this.#records.length) if (!this.#decode()) return undefined;
    const time = timeOf(this.#records[this.#at] as Rec);
    return time > 0 ? time : (this.lastUs ?? 0);
  }

  /** Gives records up to a time, at most so many; `take` gives the slot of each, undefined for one that came too late. */
  give(untilUs: number, limit: number, take: (record: Rec, input: ServiceInput['ref']) => number | undefined): number {
    let given = 0;
    while (given < limit) {
      const time = this.nextUs();
      if (time === undefined || time > untilUs) break;
      const record = this.#records[this.#at] as Rec;
      const input = this.#inputs[this.#at] as ServiceInput;
      const slot = take(record, input.ref);
      if (slot === undefined) input.problem(this.#context.currentSlot(), 'late');
      else {
        input.count(slot, 1, record.type === 'audit' ? record.end - record.start : 1);
        this.ledger.note(slot, this.#offsets[this.#at] as number);
      }
      this.lastUs = time;
      this.#at += 1;
      given += 1;
    }
    if (this.#at >= this.#records.length) this.ledger.advance(this.#decodedTo());
    return given;
  }

  /** Decodes some messages; false when there is none. */
  #decode(): boolean {
    this.#records = [];
    this.#inputs = [];
    this.#offsets = [];
    this.#at = 0;
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
    for (let message = first; message < last; message += 1) this.#decodeMessage(batch, message, bytes, from);
    this.#message = last;
    if (last >= offsets.length) {
      this.#batches.shift();
      this.#message = 0;
      this.queuedBytes -= batch.bytes.length;
    }
    return true;
  }

  #decodeMessage(batch: MessageBatch, at: number, bytes: Buffer, from: number): void {
    const offset = batch.offsets[at] as number;
    if (offset < this.ledger.position) return;
    const [start, end] = [(batch.starts[at] as number) - from, (batch.ends[at] as number) - from];
    this.#decoder ??= this.#newDecoder();
    const decoder = this.#decoder;
    const sender = batch.senders[batch.senderOf[at] as number] ?? NOBODY;
    const { records, problems } = decoder.decode(bytes, start, end, offset, (batch.timestamps[at] as number) * 1_000);
    for (const record of records) {
      const input = this.#inputOf(sender, decoder.writerOf(record), decoder.clusterOf(record));
      if (input.ref.partitioned === true) setLine(record, partitionLine(this.partition, record.line));
      this.#records.push(record);
      this.#inputs.push(input);
      this.#offsets.push(offset);
    }
    if (problems.length > 0) this.#tellDamage(sender, offset, bytes.subarray(start, end), problems);
  }

  #inputOf(sender: Sender, writer: string, cluster: string): ServiceInput {
    const { inputs } = this.#context;
    if (writer === '' && cluster === '') {
      if (sender !== this.#lastSender || this.#lastInput === undefined) {
        this.#lastSender = sender;
        this.#lastInput = inputs.of(this.topic, this.partition, sender);
      }
      return this.#lastInput;
    }
    const named = { server: sender.server || writer, cluster: sender.cluster || cluster };
    return inputs.of(this.topic, this.partition, named);
  }

  #lastSender: Sender | undefined;
  #lastInput: ServiceInput | undefined;

  #tellDamage(sender: Sender, offset: number, value: Buffer, problems: readonly Problem[]): void {
    this.damaged += 1;
    const input = this.#context.inputs.of(this.topic, this.partition, sender);
    for (const { reason } of problems) input.problem(this.#context.currentSlot(), reason);
    const { topic, partition } = this;
    this.#context.onDamaged({ topic, partition, offset, value, problems });
  }

  #newDecoder(): MessageDecoder {
    const { audit, maxMessageBytes } = this.#context;
    const input = { id: 0, name: `${this.topic}/${this.partition}`, kind: 'kafka' } as const;
    return new MessageDecoder({ input, audit, maxMessageBytes });
  }

  /** The offset behind the messages that were decoded so far. */
  #decodedTo(): number {
    const batch = this.#batches[0];
    return batch === undefined ? this.#received : (batch.offsets[this.#message] ?? this.#received);
  }
}

const NOBODY: Sender = { server: '', cluster: '' };

/** Nobody has seen the record yet. */
function setLine(record: { line: number }, line: number): void {
  record.line = line;
}
