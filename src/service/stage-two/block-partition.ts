/**
 * One partition of the topic between the stages as a stream of records. What each partition of the input has in it is in
 * order, but they are mixed as replicas came to write them: here they wait for each other, so that records are given by
 * their time.
 */
import type { Assigned, MessageBatch, TopicPartition } from '../../kafka/port.js';
import { readMark } from '../commit-mark.js';
import type { ReaderContext } from '../message-reader.js';
import { Progress } from '../progress.js';
import type { RecordStream, StreamLedger, TakeRecord } from '../record-stream.js';
import { openBlock } from '../stage-one/block-format.js';
import { oldestOf, type Span, type Turn } from '../time-order.js';
import type { KeyingCheck } from './keying-check.js';
import { type Block, OriginStream } from './origin-stream.js';

export interface BlockPartitionOptions {
  readonly keying: KeyingCheck;
  readonly now: () => number;
  readonly onNote: (text: string) => void;
  /** Bytes of blocks that wait in all partitions together. */
  readonly allQueued: () => number;
  /** Partitions of the input that any replica reads; undefined before that is known. */
  readonly places: () => readonly TopicPartition[] | undefined;
  /** A partition of the input of which nothing is heard for so long is not waited for. */
  readonly stallMs: number;
}

/**
 * Where reading begins somewhere in the topic, a partition of the input that has more there is heard of before so much
 * time of the topic has passed: replicas tell all the time, and one that died has been replaced by then.
 */
const UNHEARD_MS = 60_000;

/** While a partition of the input is waited for, so many bytes of others may wait in one partition, and in all of them. */
const MAX_WAITING = 64 * 1024 * 1024;
const MAX_WAITING_ALL = 160 * 1024 * 1024;

export class BlockPartition implements RecordStream {
  readonly topic: string;
  readonly partition: number;
  readonly ledger: StreamLedger;
  lastUs: number | undefined;
  readonly progress = new Progress();
  end: number;
  paused = false;
  heardAtMs: number;
  queuedBytes = 0;
  damaged = 0;
  unnamed = 0;
  received: number;
  takenTo: number;
  readonly #options: BlockPartitionOptions;
  readonly #origins = new Map<string, OriginStream>();
  /** The same ones, in the order in which they were met. */
  readonly #inOrder: OriginStream[] = [];
  readonly #context: ReaderContext;
  readonly #takenBelow: number;
  /** Some have to wait for others. */
  #isWaiting = false;
  #saidFull = false;
  readonly #openedAtMs: number;
  #places: readonly TopicPartition[] | undefined;
  /** When the first and the last of the messages here were written, in milliseconds. */
  #firstMs = Number.NaN;
  #lastMs = Number.NaN;

  constructor(assigned: Assigned, nowMs: number, context: ReaderContext, options: BlockPartitionOptions) {
    this.topic = assigned.topic;
    this.partition = assigned.partition;
    this.received = assigned.begin;
    this.takenTo = assigned.begin;
    this.end = assigned.high;
    this.heardAtMs = nowMs;
    this.#openedAtMs = nowMs;
    this.#context = context;
    this.#options = options;
    this.#takenBelow = readMark(assigned.committed?.metadata)?.read ?? 0;
    this.ledger = this.#newLedger();
  }

  get isAtEnd(): boolean {
    return this.received >= this.end && this.#inOrder.every(({ isEmpty }) => isEmpty);
  }

  isFull(share: number): boolean {
    return this.#isWaiting ? this.#isOverfull : this.queuedBytes >= share;
  }

  hasRoom(share: number): boolean {
    return this.#isWaiting ? !this.#isOverfull : this.queuedBytes < share / 2;
  }

  push(batch: MessageBatch): void {
    if (batch.highWatermark > this.end) this.end = batch.highWatermark;
    const { bytes, starts, ends, offsets, timestamps } = batch;
    if (Number.isNaN(this.#firstMs)) this.#firstMs = timestamps[0] ?? Number.NaN;
    this.#lastMs = timestamps[timestamps.length - 1] ?? this.#lastMs;
    for (let at = 0; at < offsets.length; at += 1) {
      const offset = offsets[at] as number;
      if (offset < this.received) continue;
      this.received = offset + 1;
      const end = ends[at] as number;
      const opened = openBlock(bytes, starts[at] as number, end);
      if (opened === undefined) this.#foreign(`offset ${offset} is no block of this version of skewscope`);
      else this.#take({ offset, header: opened.header, bytes, at: opened.at, end });
    }
  }

  reachedEnd(offset: number): void {
    if (offset > this.received) this.received = offset;
    if (offset > this.end) this.end = offset;
  }

  nextUs(): number | undefined {
    return this.#pick()?.us;
  }

  give({ fromUs, untilUs }: Span, limit: number, take: TakeRecord): number {
    let given = 0;
    while (given < limit) {
      const pick = this.#pick();
      if (pick === undefined || pick.us > untilUs || pick.us < fromUs) break;
      const { stream: origin } = pick;
      this.takenTo = Math.max(this.takenTo, (origin.blockOffset ?? 0) + 1);
      const span = { fromUs: Math.max(fromUs, pick.fromUs), untilUs: Math.min(untilUs, pick.untilUs) };
      given += origin.give(span, limit - given, take);
      if (origin.lastUs !== undefined) this.progress.note(origin.lastUs);
      if (origin.lastUs !== undefined && !(origin.lastUs <= (this.lastUs ?? -1))) this.lastUs = origin.lastUs;
    }
    return given;
  }

  /** The partition of the input whose turn it is; undefined when nothing may be given now. */
  #pick(): Turn<OriginStream> | undefined {
    if (!this.#meetAll()) return undefined;
    const turn = oldestOf(this.#inOrder);
    this.#isWaiting = false;
    if (turn === undefined) return undefined;
    if (!this.#inOrder.some(({ isEmpty }) => isEmpty)) return turn;
    const boundUs = this.#boundUs(turn.us, turn.stream.blockOffset ?? 0);
    if (boundUs < turn.us && !this.#mayNotWait()) return undefined;
    return { ...turn, untilUs: Math.max(turn.us, Math.min(turn.untilUs, boundUs)) };
  }

  /** Up to where others may be taken, because of those that have nothing here now and more to come. */
  #boundUs(firstUs: number, blockOffset: number): number {
    const now = this.#options.now();
    let bound = Number.POSITIVE_INFINITY;
    for (const origin of this.#inOrder) {
      if (!origin.isEmpty || origin.ignored) continue;
      // What it had when it was at its end comes before what was written then.
      if (origin.ended && (origin.heardOffset > blockOffset || this.received >= this.end)) continue;
      if (origin.heardOffset < 0 && (this.received >= this.end || this.#lastMs - this.#firstMs > UNHEARD_MS)) continue;
      const us = origin.us ?? Number.NEGATIVE_INFINITY;
      if (us < firstUs && this.#isStalled(origin, now)) continue;
      if (us < bound) bound = us;
    }
    this.#isWaiting = bound < firstUs;
    return bound;
  }

  /** Makes the acquaintance of all partitions of the input; false while it is not known which there are. */
  #meetAll(): boolean {
    const { places, now, stallMs } = this.#options;
    const all = places();
    if (all === this.#places && all !== undefined) return true;
    if (all === undefined) return now() - this.#openedAtMs > stallMs;
    this.#places = all;
    for (const one of all) this.#origin(one, this.received);
    return true;
  }

  #isStalled(origin: OriginStream, now: number): boolean {
    const { stallMs, onNote } = this.#options;
    origin.awaitedSinceMs ??= now;
    if (now - origin.awaitedSinceMs < stallMs) return false;
    origin.ignored = true;
    onNote(
      `nothing was heard of ${origin.topic}/${origin.partition} in ${this.topic}/${this.partition} for ${Math.round(stallMs / 1_000)} s: the others go on without it`,
    );
    return true;
  }

  #mayNotWait(): boolean {
    if (!this.#isOverfull) return false;
    if (!this.#saidFull) {
      this.#options.onNote(
        `${this.topic}/${this.partition}: too much waits for partitions of the input that another replica reads, so records are taken out of order; findings may be incomplete until it has caught up`,
      );
    }
    this.#saidFull = true;
    return true;
  }

  get #isOverfull(): boolean {
    return this.queuedBytes >= MAX_WAITING || this.#options.allQueued() >= MAX_WAITING_ALL;
  }

  #take(block: Block): void {
    const { header, offset, at, end } = block;
    this.#options.keying.check(header, this);
    for (const state of header.states) this.#origin(state, offset).hear(state, offset);
    const state = header.states[0];
    if (header.frames === 0 || state === undefined) return;
    this.#origin(state, offset).push(block);
    this.#count(end - at);
  }

  #origin({ topic, partition }: TopicPartition, offset: number): OriginStream {
    const key = `${topic}/${partition}`;
    let origin = this.#origins.get(key);
    if (origin === undefined) {
      origin = new OriginStream(topic, partition, offset, {
        context: this.#context,
        takenBelow: this.#takenBelow,
        onTaken: (block) => this.#count(block.at - block.end),
        onDamaged: () => this.#foreign('a block is damaged'),
        onUnnamed: () => {
          this.unnamed += 1;
        },
      });
      this.#origins.set(key, origin);
      this.#inOrder.push(origin);
    }
    return origin;
  }

  #count(bytes: number): void {
    this.queuedBytes += bytes;
    if (this.queuedBytes === 0) this.#saidFull = false;
  }

  #foreign(what: string): void {
    this.damaged += 1;
    this.#options.keying.foreign(this, what);
  }

  #newLedger(): StreamLedger {
    const origins = () => this.#inOrder;
    const lowest = (offset: (origin: OriginStream) => number) =>
      origins().reduce((low, origin) => {
        if (origin.isEmpty) origin.ledger.advance(this.received);
        return Math.min(low, offset(origin));
      }, this.received);
    const self = {
      get position() {
        return lowest(({ ledger }) => ledger.position);
      },
      get settled() {
        return lowest(({ ledger }) => ledger.settled);
      },
      closeBelow(slot: number) {
        for (const { ledger } of origins()) ledger.closeBelow(slot);
      },
    };
    return self;
  }
}
