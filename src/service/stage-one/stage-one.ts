/**
 * The first of two stages that share the work of several replicas. It decodes the input, leaves out what correlation
 * does not need, and writes the rest by cluster into the topic between the stages, each partition of the input in
 * transactions that also commit its offsets.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { createFastDecoder } from '../../formats/index.js';
import type { Assigned, ConsumerHandlers, MessageBatch, PartitionOffset, TopicPartition } from '../../kafka/port.js';
import { asError } from '../../model/error-text.js';
import { AHEAD_US, aheadNote } from '../ahead.js';
import { ServiceInputs } from '../inputs.js';
import { Lent } from '../lent.js';
import type { ReaderContext } from '../message-reader.js';
import { openPartition, type PartitionStream } from '../partition-stream.js';
import { Partitions } from '../partitions.js';
import { nextTurn, stalledNote } from '../time-order.js';
import { Waking } from '../waking.js';
import { ClusterNames } from './cluster-names.js';
import type { Lane } from './lane.js';
import { openLanes } from './open-lanes.js';
import { Pace } from './pace.js';
import { Pulse } from './pulse.js';
import type { StageOneOptions } from './stage-one-options.js';
import { Together } from './together.js';

export function decodeGroup(group: string): string {
  return `${group}.decode`;
}

const SLICE_MS = 20;
const RUN = 500;
const IDLE_MS = 50;
const LINGER_MS = 200;
/** Bytes of one transaction, and of those of all partitions together: each takes its time, whatever it holds. */
const MIN_SEND = 256 * 1024;
const MAX_SEND = 2 * 1024 * 1024;
const ALL_SEND = 16 * 1024 * 1024;

export class StageOne implements ConsumerHandlers {
  readonly partitions: Partitions<PartitionStream>;
  readonly together: Together;
  /** Records taken since the start. */
  records = 0;
  /** Why nothing more can be done; undefined while all is well. */
  failure: Error | undefined;
  readonly #options: StageOneOptions;
  readonly #audit = createFastDecoder();
  /** Nothing refers to a record once it is in a block. */
  readonly #lent = new Lent();
  readonly #pace = new Pace();
  readonly #pulse: Pulse;
  readonly #stopping = new AbortController();
  readonly #clusters: ClusterNames;
  #generation = new AbortController();
  #inputs: ServiceInputs;
  #lanes = new Map<PartitionStream, Lane>();
  #closing: Promise<unknown> = Promise.resolve();
  #latestUs: number;
  #assigned = false;
  #running: Promise<void> | undefined;
  readonly #waking = new Waking();

  constructor(options: StageOneOptions) {
    const { kafka, group, clock, onNote, stallMs, settleMs } = options;
    this.#options = options;
    this.#latestUs = clock.now() * 1_000 + AHEAD_US;
    this.#clusters = new ClusterNames(onNote);
    this.partitions = new Partitions(options.consumer, openPartition);
    this.#inputs = new ServiceInputs(options.cluster);
    this.together = new Together({
      read: () => kafka.committed(decodeGroup(group), 'any'),
      clock,
      onNote,
      ...(stallMs === undefined ? {} : { stallMs }),
      ...(settleMs === undefined ? {} : { settleMs }),
    });
    this.#pulse = new Pulse({ kafka, scaleOut: options.scaleOut, clock, onNote });
  }

  get isAssigned(): boolean {
    return this.#assigned;
  }

  start(): void {
    this.together.start();
    this.#running ??= this.#run().catch((error: unknown) => this.onCrash(asError(error)));
  }

  onBatch(batch: MessageBatch): void {
    this.partitions.take(batch, this.#options.clock.now());
    this.#waking.wake();
  }

  onEnd(partition: TopicPartition, offset: number): void {
    this.partitions.reachedEnd(partition, offset, this.#options.clock.now());
    this.#waking.wake();
  }

  async onAssigned(assigned: readonly Assigned[]): Promise<readonly PartitionOffset[]> {
    const { signal } = this.#generation;
    const { kafka, group, scaleOut, clock, onNote } = this.#options;
    this.#inputs = new ServiceInputs(this.#options.cluster);
    const opened = await openLanes(assigned, signal, {
      kafka,
      clock,
      onNote,
      compression: scaleOut.compression,
      group: decodeGroup(group),
      before: group,
      partitions: this.partitions,
      context: this.#context(),
      onFailure: (error) => this.onCrash(error),
      beforeRetry: this.#options.ensureDeadLetters ?? (async () => {}),
      lane: {
        topic: scaleOut.topic,
        partitions: scaleOut.partitions,
        deadLetters: this.#options.deadLetters,
        sendBytes: sendBytes(assigned.length),
        lingerMs: this.#options.lingerMs ?? LINGER_MS,
        pace: this.#pace,
        inputs: this.#inputs,
        onCluster: this.#clusters.see,
      },
    });
    if (signal.aborted) return [];
    this.#lanes = new Map(opened.map((lane) => [lane.stream, lane]));
    this.#pulse.anew();
    this.#assigned = true;
    this.#waking.wake();
    return opened.map(({ stream, committed }) => ({
      topic: stream.topic,
      partition: stream.partition,
      offset: committed,
    }));
  }

  onRevoked(): void {
    this.#assigned = false;
    this.#generation.abort();
    this.#generation = new AbortController();
    const lanes = [...this.#lanes.values()];
    this.#lanes = new Map();
    this.#closing = Promise.allSettled([this.#closing, ...lanes.map((lane) => lane.close())]);
  }

  onCrash(error: Error): void {
    if (this.failure === undefined) this.#options.onFailure(error);
    this.failure ??= error;
    this.#waking.wake();
  }

  /** Takes nothing more, and writes what was taken, within the time that the signal leaves. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#stopping.abort();
    this.#waking.wake();
    await this.#running;
    const over = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([over, this.#sendAll()]);
    this.onRevoked();
    await Promise.race([over, Promise.allSettled([this.together.stop(), this.#pulse.stop(), this.#closing])]);
  }

  #context(): ReaderContext {
    return {
      audit: this.#audit,
      inputs: this.#inputs,
      lent: this.#lent,
      maxMessageBytes: this.#options.maxMessageBytes,
      currentSlot: () => 0,
      onDamaged: (message) => this.#laneOf(message)?.bury(message),
      latestUs: () => this.#latestUs,
      onAhead: (place, timeUs) => {
        this.#options.onNote(`${place.topic}/${place.partition}, offset ${place.offset}: ${aheadNote(timeUs)}`);
      },
    };
  }

  #laneOf(place: TopicPartition): Lane | undefined {
    const stream = this.partitions.of(place)?.stream;
    return stream === undefined ? undefined : this.#lanes.get(stream);
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted && this.failure === undefined) {
      const taken = this.#assigned ? this.#takeSome() : 0;
      const now = this.#options.clock.now();
      for (const lane of this.#lanes.values()) lane.flush(now, false);
      this.#pulse.beat([...this.#lanes.values()], this.together.changes);
      if (taken === 0) await this.#waking.sleep(IDLE_MS, this.#options.clock, this.#stopping.signal);
      else await yieldToOthers();
    }
  }

  #takeSome(): number {
    const { clock } = this.#options;
    const now = clock.now();
    this.#latestUs = now * 1_000 + AHEAD_US;
    const ends = performance.now() + SLICE_MS;
    const limitUs = this.together.limitUs((name) => this.#isOwn(name), this.#pace.aheadUs);
    let taken = 0;
    while (performance.now() < ends) {
      const turn = nextTurn(this.partitions.streams(), now, this.#stalled);
      if (turn === undefined) break;
      const lane = this.#lanes.get(turn.stream);
      if (lane === undefined || lane.isFull) break;
      const span = { fromUs: turn.fromUs, untilUs: Math.min(turn.untilUs, limitUs) };
      const given = turn.stream.give(span, RUN, lane.take);
      if (given === 0) {
        this.together.hurry();
        break;
      }
      taken += given;
      if (lane.isDue) lane.flush(now, false);
    }
    this.records += taken;
    this.partitions.resumeEmpty();
    return taken;
  }

  #isOwn(name: string): boolean {
    const at = name.lastIndexOf('/');
    return this.partitions.of({ topic: name.slice(0, at), partition: Number(name.slice(at + 1)) }) !== undefined;
  }

  readonly #stalled = (stream: PartitionStream): void => {
    stream.heardAtMs = this.#options.clock.now();
    this.#options.onNote(stalledNote(stream));
  };

  /** What is under way, and what was taken meanwhile. */
  async #sendAll(): Promise<void> {
    for (let round = 0; round < 2; round += 1) {
      const now = this.#options.clock.now();
      for (const lane of this.#lanes.values()) lane.flush(now, true);
      await Promise.all([...this.#lanes.values()].map(({ sending }) => sending));
    }
  }
}

function sendBytes(lanes: number): number {
  return Math.min(MAX_SEND, Math.max(MIN_SEND, ALL_SEND / lanes));
}
