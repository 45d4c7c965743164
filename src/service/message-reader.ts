/** Turns the messages of one partition into records, each with the input that it counts for. */

import { timeOf } from '../analysis/survey.js';
import { bootOf } from '../correlate/identity/loopback.js';
import { type AuditDecoder, MessageDecoder } from '../formats/index.js';
import type { MessageBatch, Sender } from '../kafka/port.js';
import { type InputRef, partitionLine } from '../model/origin.js';
import type { Problem, Rec } from '../model/record.js';
import { formatTime } from '../model/time.js';
import { isOneTooMany, type ServiceInput, type ServiceInputs } from './inputs.js';
import type { Lent } from './lent.js';

/** A message that could not be read, or not all of it. */
export interface DamagedMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** The message's value. */
  readonly value: Buffer;
  readonly problems: readonly Problem[];
  /** Who sent it, as far as its key and headers tell. */
  readonly sender: Sender;
}

export interface ReaderContext {
  readonly audit: AuditDecoder;
  readonly inputs: ServiceInputs;
  /** Hears of batches whose memory may be used again. */
  readonly lent?: Lent;
  readonly maxMessageBytes: number;
  onDamaged(message: DamagedMessage): void;
  /** Nothing can have happened after this time, in microseconds; undefined: at any. */
  latestUs?(): number;
  /** Hears of a record that lies after that: it is left out, and its message is damaged by it. */
  onAhead?(place: Pick<DamagedMessage, 'topic' | 'partition' | 'offset' | 'sender'>, timeUs: number): void;
  /** The slot that counts for what has no time of its own. */
  currentSlot(): number;
}

const NOBODY: Sender = { server: '', cluster: '' };

export class MessageReader {
  /** What was read since `clear`: records, and of each the input and the offset of its message. */
  records: Rec[] = [];
  inputs: ServiceInput[] = [];
  offsets: number[] = [];
  /** Messages that could not be read, or not all of them. */
  damaged = 0;
  /** Records of named senders that are not told apart, for there are too many names; beside those of single messages. */
  #extra = 0;
  #lastIsExtra = false;
  readonly #ref: InputRef;
  readonly #decoder: MessageDecoder;
  #lastSender: Sender | undefined;
  #lastInput: ServiceInput | undefined;

  constructor(
    readonly topic: string,
    readonly partition: number,
    private readonly context: ReaderContext,
  ) {
    this.#ref = { id: 0, name: `${topic}/${partition}`, kind: 'kafka' };
    this.#decoder = new MessageDecoder({
      input: this.#ref,
      audit: context.audit,
      maxMessageBytes: context.maxMessageBytes,
    });
  }

  /** Records whose sender was named and is not told apart from others, for there are too many. */
  get unnamed(): number {
    return this.#extra + this.#decoder.counters.unnamed;
  }

  clear(): void {
    this.records = [];
    this.inputs = [];
    this.offsets = [];
  }

  /** Reads message `at` of the batch, which lies in `bytes`, the batch's memory from `from` on. */
  read(batch: MessageBatch, at: number, bytes: Buffer, from: number): void {
    const offset = batch.offsets[at] as number;
    const [start, end] = [(batch.starts[at] as number) - from, (batch.ends[at] as number) - from];
    const sender = batch.senders[batch.senderOf[at] as number] ?? NOBODY;
    const decoder = this.#decoder;
    const { records, problems, oneWriter } = decoder.decode(
      bytes,
      start,
      end,
      offset,
      (batch.timestamps[at] as number) * 1_000,
    );
    // What an apiserver posts in one body is its own.
    const boot = oneWriter && sender.server === '' ? bootOf(records) : '';
    const latestUs = this.context.latestUs?.() ?? Number.POSITIVE_INFINITY;
    const leftOut: Problem[] = [];
    for (const record of records) {
      if (timeOf(record) > latestUs) {
        leftOut.push(this.#leaveOut(record, sender, offset));
        continue;
      }
      const input =
        boot === ''
          ? this.#inputOf(sender, decoder.writerOf(record), decoder.clusterOf(record))
          : this.#inputOfBoot(sender.cluster, boot);
      if (input.ref.partitioned === true) setLine(record, partitionLine(this.partition, record.line));
      this.records.push(record);
      this.inputs.push(input);
      this.offsets.push(offset);
    }
    const damage = leftOut.length > 0 ? [...problems, ...leftOut] : problems;
    if (damage.length > 0) this.#tellDamage(sender, offset, Buffer.from(bytes.subarray(start, end)), damage);
  }

  #inputOfBoot(cluster: string, boot: string): ServiceInput {
    const input = this.context.inputs.ofBoot(this.topic, this.partition, cluster, boot);
    if (isOneTooMany({ server: '', boot }, input)) this.#extra += 1;
    return input;
  }

  #inputOf(sender: Sender, writer: string, cluster: string): ServiceInput {
    const { inputs } = this.context;
    if (writer !== '' || cluster !== '') {
      const named = { server: sender.server || writer, cluster: sender.cluster || cluster };
      const input = inputs.of(this.topic, this.partition, named);
      if (isOneTooMany(named, input)) this.#extra += 1;
      return input;
    }
    if (sender !== this.#lastSender || this.#lastInput === undefined) {
      this.#lastSender = sender;
      this.#lastInput = inputs.of(this.topic, this.partition, sender);
      this.#lastIsExtra = isOneTooMany(sender, this.#lastInput);
    }
    if (this.#lastIsExtra) this.#extra += 1;
    return this.#lastInput;
  }

  /** Taken for true, it would end all windows before it, and make all that comes later too late. */
  #leaveOut(record: Rec, sender: Sender, offset: number): Problem {
    const { topic, partition, context } = this;
    const timeUs = timeOf(record);
    context.onAhead?.({ topic, partition, offset, sender }, timeUs);
    const detail = `a record of ${formatTime(timeUs)}, which is too far ahead of the present`;
    return { reason: 'bad-timestamp', detail, origin: { input: this.#ref, line: record.line, offset } };
  }

  #tellDamage(sender: Sender, offset: number, value: Buffer, problems: readonly Problem[]): void {
    const { topic, partition, context } = this;
    this.damaged += 1;
    const input = context.inputs.of(topic, partition, sender);
    for (const { reason } of problems) input.problem(context.currentSlot(), reason);
    context.onDamaged({ topic, partition, offset, value, problems, sender });
  }
}

/** Nobody has seen the record yet. */
function setLine(record: { line: number }, line: number): void {
  record.line = line;
}
