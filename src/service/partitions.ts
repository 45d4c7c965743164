/** The partitions that this process reads: what becomes of them when the group gives others, and who is paused. */
import type { Assigned, MessageBatch, TopicPartition } from '../kafka/port.js';
import { readMark } from './commit-mark.js';
import type { ReaderContext } from './message-reader.js';
import type { RecordStream } from './record-stream.js';

/** A partition is paused when so many bytes wait, and goes on when less than half of it does. */
const MAX_QUEUED = 8 * 1024 * 1024;
/** All partitions together. */
const MAX_QUEUED_ALL = 96 * 1024 * 1024;

export interface Flow {
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
}

export interface Partition<Stream extends RecordStream = RecordStream> {
  readonly stream: Stream;
  /** The first offset that was to be read. */
  readonly begin: number;
  /** Damaged messages below were dead letters before. */
  deadBelow: number;
  /** What is committed; null when nothing is. */
  committed: number | null;
}

/** Makes the stream of a partition that is assigned. */
export type OpenStream<Stream extends RecordStream = RecordStream> = (
  assigned: Assigned,
  nowMs: number,
  context: ReaderContext,
) => Stream;

export class Partitions<Stream extends RecordStream = RecordStream> {
  #all = new Map<string, Partition<Stream>>();
  #streams: Stream[] = [];
  #paused = 0;
  readonly #flow: Flow;
  readonly #open: OpenStream<Stream>;
  /** What each stream reads with. */
  readonly #contexts = new WeakMap<Stream, ReaderContext>();
  readonly #openUs = new WeakMap<Stream, number>();

  constructor(flow: Flow, open: OpenStream<Stream>) {
    this.#flow = flow;
    this.#open = open;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Asked for with every few records, so the list is kept. */
  streams(): readonly Stream[] {
    return this.#streams;
  }

  all(): Iterable<Partition<Stream>> {
    return this.#all.values();
  }

  of({ topic, partition }: TopicPartition): Partition<Stream> | undefined {
    return this.#all.get(`${topic}/${partition}`);
  }

  /** Begin of the oldest window of which the stream gives all records, in microseconds; undefined where it gives all there are. */
  openUsOf(stream: Stream): number | undefined {
    return this.#openUs.get(stream);
  }

  /** Whether what was read so far stays valid: nothing was taken away, and what is new has no history here. */
  isOnlyMore(assigned: readonly Assigned[]): boolean {
    const keys = new Set(assigned.map(keyOf));
    for (const key of this.#all.keys()) if (!keys.has(key)) return false;
    return this.#all.size > 0 && assigned.every((one) => this.#all.has(keyOf(one)) || one.committed === undefined);
  }

  /** Takes what is assigned beside what is there; what is there goes on where it is, and nothing is paused any more. */
  extend(assigned: readonly Assigned[], nowMs: number, context: ReaderContext): void {
    this.#paused = 0;
    for (const one of assigned) {
      const { stream } = this.#all.get(keyOf(one)) ?? this.#add(one, nowMs, context);
      stream.heardAtMs = nowMs;
      stream.paused = false;
    }
  }

  /** Forgets what was read and begins at what is committed. Gives when the oldest windows begin that were left open, in microseconds. */
  replace(assigned: readonly Assigned[], nowMs: number, context: ReaderContext): readonly number[] {
    this.#all = new Map();
    this.#streams = [];
    this.#paused = 0;
    return assigned.flatMap((one) => this.openUsOf(this.#add(one, nowMs, context).stream) ?? []);
  }

  take(batch: MessageBatch, nowMs: number): void {
    const known = this.of(batch);
    if (known === undefined) return;
    const { stream } = isMadeAnew(known.stream, batch) ? this.#beginAnew(known, batch, nowMs) : known;
    stream.heardAtMs = nowMs;
    stream.push(batch);
    this.#pauseFull();
  }

  /** What was read of it is known, and what it holds now has other offsets: nothing of the old ones counts. */
  #beginAnew(known: Partition<Stream>, batch: MessageBatch, nowMs: number): Partition<Stream> {
    const { topic, partition, highWatermark: high } = batch;
    if (known.stream.paused) {
      this.#paused -= 1;
      this.#flow.resume([{ topic, partition }]);
    }
    const low = batch.offsets[0] ?? 0;
    this.#streams = this.#streams.filter((stream) => stream !== known.stream);
    const context = this.#contexts.get(known.stream);
    if (context === undefined) return known;
    return this.#add({ topic, partition, committed: undefined, begin: low, low, high }, nowMs, context);
  }

  /** A fetch found nothing behind `offset`. */
  reachedEnd(partition: TopicPartition, offset: number, nowMs: number): void {
    const stream = this.of(partition)?.stream;
    if (stream === undefined) return;
    stream.heardAtMs = nowMs;
    stream.reachedEnd(offset);
  }

  /** Lets those go on that have room again. */
  resumeEmpty(): void {
    if (this.#paused === 0) return;
    const share = this.#share();
    const ready = this.#streams.filter((stream) => stream.paused && stream.hasRoom(share));
    if (ready.length === 0) return;
    for (const stream of ready) stream.paused = false;
    this.#paused -= ready.length;
    this.#flow.resume(ready.map(({ topic, partition }) => ({ topic, partition })));
  }

  #pauseFull(): void {
    const share = this.#share();
    const full = this.#streams.filter((stream) => !stream.paused && stream.isFull(share));
    if (full.length === 0) return;
    for (const stream of full) stream.paused = true;
    this.#paused += full.length;
    this.#flow.pause(full.map(({ topic, partition }) => ({ topic, partition })));
  }

  #share(): number {
    return Math.min(MAX_QUEUED, Math.max(1, MAX_QUEUED_ALL / Math.max(1, this.#all.size)));
  }

  #add(one: Assigned, nowMs: number, context: ReaderContext): Partition<Stream> {
    const { committed } = one;
    const mark = readMark(committed?.metadata);
    const added: Partition<Stream> = {
      stream: this.#open(one, nowMs, context),
      begin: one.begin,
      deadBelow: mark?.dead ?? 0,
      committed: committed?.offset ?? null,
    };
    this.#contexts.set(added.stream, context);
    if (mark?.openUs !== undefined) this.#openUs.set(added.stream, mark.openUs);
    this.#all.set(keyOf(one), added);
    this.#streams.push(added.stream);
    return added;
  }
}

/** The end lies below what was read: the topic was removed and made again, or its last messages were lost with a broker. */
function isMadeAnew({ received }: RecordStream, { offsets, highWatermark }: MessageBatch): boolean {
  const last = offsets[offsets.length - 1];
  return last !== undefined && last < received && highWatermark < received;
}

function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
