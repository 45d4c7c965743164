/** What stage one makes of one partition of the input: blocks by cluster, which wait here until they are sent together. */
import { timeOf } from '../../analysis/survey.js';
import type { OutgoingMessage, Sender } from '../../kafka/port.js';
import { type InputRef, placeIn } from '../../model/origin.js';
import type { ProblemReason, Rec } from '../../model/record.js';
import { letter, MAX_COPY } from '../dead-letters.js';
import type { ServiceInputs } from '../inputs.js';
import type { DamagedMessage } from '../message-reader.js';
import type { PartitionStream } from '../partition-stream.js';
import type { Partition } from '../partitions.js';
import { BLOCK_HEADER, type PartitionState } from './block-format.js';
import { BlockWriter } from './block-writer.js';
import { partitionOf } from './keying.js';
import type { LaneProducer, Sending } from './lane-producer.js';
import type { Pace } from './pace.js';
import { type Progress, writeProgress } from './progress.js';

export interface LaneOptions {
  /** The topic between the stages, and its number of partitions. */
  readonly topic: string;
  readonly partitions: number;
  readonly deadLetters: string | undefined;
  /** So many bytes are sent without waiting for more. */
  readonly sendBytes: number;
  /** What waits is sent after so many milliseconds at the latest. */
  readonly lingerMs: number;
  readonly pace: Pace;
  readonly inputs: ServiceInputs;
  /** Hears of the clusters that there are, again and again. */
  readonly onCluster: (cluster: string) => void;
}

/** What could not be read, or was left out; `message` where it is a dead letter. */
interface Damage {
  readonly offset: number;
  readonly sender: Sender;
  readonly reasons: readonly ProblemReason[];
  readonly message: DamagedMessage | undefined;
}

/** Bytes of one block, unless a single record is larger. */
const BLOCK_BYTES = 512 * 1024;

export class Lane {
  /** What is in the topic, and committed. */
  state: Progress;
  readonly stream: PartitionStream;
  /** Bytes that wait. */
  bytes = 0;
  /** Set while a transaction is under way. */
  sending: Promise<void> | undefined;
  readonly #options: LaneOptions;
  readonly #partition: Partition<PartitionStream>;
  readonly #producer: Pick<LaneProducer, 'send' | 'close'>;
  readonly #writers = new Map<string, BlockWriter>();
  /** Blocks that were large enough before the rest was. */
  #closed: OutgoingMessage[] = [];
  #damage: Damage[] = [];
  #lastOffset = -1;
  #sinceMs: number | undefined;

  constructor(
    partition: Partition<PartitionStream>,
    producer: Pick<LaneProducer, 'send' | 'close'>,
    state: Progress,
    options: LaneOptions,
  ) {
    this.#partition = partition;
    this.stream = partition.stream;
    this.#producer = producer;
    this.state = state;
    this.#options = options;
  }

  /** Nothing more should be taken until what waits is sent. */
  get isFull(): boolean {
    return this.isDue && this.sending !== undefined;
  }

  get isDue(): boolean {
    return this.bytes >= this.#options.sendBytes;
  }

  /** The next offset that is not in a transaction which is committed. */
  get committed(): number {
    return this.#partition.committed ?? 0;
  }

  /** Nothing was taken that is not in the topic. */
  get isClean(): boolean {
    return this.sending === undefined && this.bytes === 0;
  }

  /** Takes a record of the stream; all of them count for one slot. */
  readonly take = (record: Rec, input: InputRef): number => {
    const writer = this.#writerOf(input.cluster ?? '');
    const before = writer.bytes;
    const { line } = placeIn(input, record.line);
    writer.add(record, { sender: this.#options.inputs.senderOf(input), line, offset: record.offset });
    const added = writer.bytes - before;
    this.bytes += added;
    const timeUs = timeOf(record);
    if (timeUs > 0) this.#options.pace.count(added, timeUs);
    this.#lastOffset = record.offset;
    if (writer.bytes >= BLOCK_BYTES || writer.isFull)
      this.#close(writer, { us: this.stream.lastUs ?? null, end: false });
    return 0;
  };

  /** What cannot be read goes with the records before it. */
  bury(message: DamagedMessage): void {
    const { offset, sender } = message;
    if (offset < this.committed) return;
    const reasons = message.problems.map(({ reason }) => reason);
    if (this.#options.deadLetters === undefined) {
      this.#damage.push({ offset, sender, reasons, message: undefined });
      return;
    }
    // The value lies in the memory of its batch, which need not be kept for it.
    const value = Buffer.from(message.value.subarray(0, MAX_COPY));
    this.#damage.push({ offset, sender, reasons, message: { ...message, value } });
    this.bytes += value.length;
  }

  /** Sends what waits, if it is time; `soon`: nothing is waited for. */
  flush(nowMs: number, soon: boolean): void {
    if (this.sending !== undefined) return;
    const offset = this.stream.nextOffset;
    // A message goes with all of its records.
    if (offset <= this.#lastOffset) return;
    const state = this.#progress();
    const isNews =
      offset > this.committed || state.end !== this.state.end || (this.state.us === null && state.us !== null);
    if (!isNews) {
      this.#sinceMs = undefined;
      return;
    }
    this.#sinceMs ??= nowMs;
    if (!soon && !this.isDue && nowMs - this.#sinceMs < this.#options.lingerMs) return;
    this.#sinceMs = undefined;
    this.sending = this.#send(offset, state).finally(() => {
      this.sending = undefined;
    });
  }

  async close(): Promise<void> {
    await this.#producer.close();
  }

  async #send(offset: number, state: Progress): Promise<void> {
    const { topic, partition } = this.stream;
    const messages = this.#collect(offset, state);
    const sent = await this.#producer.send(messages, { topic, partition, offset, metadata: writeProgress(state) });
    if (!sent) return;
    this.#partition.committed = offset;
    this.state = state;
  }

  #collect(offset: number, state: Progress): Sending[] {
    const { topic, deadLetters, inputs } = this.#options;
    const damaged = this.#damage.filter((one) => one.offset < offset);
    this.#damage = this.#damage.filter((one) => one.offset >= offset);
    for (const one of damaged) {
      const input = inputs.of(this.stream.topic, this.stream.partition, one.sender);
      const writer = this.#writerOf(input.ref.cluster ?? '');
      for (const reason of one.reasons) writer.problem(reason, { sender: input.sender, line: 1, offset: one.offset });
    }
    for (const writer of this.#writers.values()) if (writer.frames > 0) this.#close(writer, state);
    this.#writers.clear();
    const blocks = { topic, messages: this.#closed };
    this.#closed = [];
    this.bytes = this.#damage.reduce((sum, { message }) => sum + (message?.value.length ?? 0), 0);
    if (deadLetters === undefined) return [blocks];
    const letters = damaged.flatMap(({ message }) => (message === undefined ? [] : [letter(message)]));
    return [blocks, { topic: deadLetters, messages: letters }];
  }

  #close(writer: BlockWriter, state: Progress): void {
    const { partitions } = this.#options;
    const value = writer.take({ of: partitions, states: [this.#stateAs(state)] });
    const partition = partitionOf(writer.cluster, partitions);
    this.#closed.push({ partition, key: writer.cluster, value, headers: BLOCK_HEADER });
  }

  #stateAs({ us, end }: Progress): PartitionState {
    return { topic: this.stream.topic, partition: this.stream.partition, us, end };
  }

  #progress(): Progress {
    const us = this.stream.nextUs() ?? this.stream.lastUs ?? null;
    return { us, end: this.stream.isAtEnd };
  }

  #writerOf(cluster: string): BlockWriter {
    let writer = this.#writers.get(cluster);
    if (writer === undefined) {
      this.#options.onCluster(cluster);
      writer = new BlockWriter(cluster);
      this.#writers.set(cluster, writer);
    }
    return writer;
  }
}
