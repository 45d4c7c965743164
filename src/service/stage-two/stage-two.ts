/** The second stage as the engine needs it: what it reads is the topic between the stages, which all replicas fill. */
import type { Assigned } from '../../kafka/port.js';
import type { Engine, Upstream } from '../engine.js';
import type { ReaderContext } from '../message-reader.js';
import { partitionOf } from '../stage-one/keying.js';
import type { Between } from '../stage-one/stage-one-options.js';
import type { Together } from '../stage-one/together.js';
import { BlockPartition } from './block-partition.js';
import { KeyingCheck } from './keying-check.js';

export interface StageTwoOptions {
  readonly between: Readonly<Between>;
  readonly together: Pick<Together, 'completeAtMs' | 'places'>;
  /** Stage one may be so far behind the present, in microseconds, and nothing is missing that matters for judging. */
  readonly readyLagUs: number;
  readonly now: () => number;
  readonly onNote: (text: string) => void;
  readonly stallMs?: number;
}

const STALL_MS = 60_000;

export class StageTwo implements Upstream {
  readonly keying: KeyingCheck;
  readonly #options: StageTwoOptions;
  #engine: Pick<Engine, 'partitions' | 'windows'> | undefined;

  constructor(options: StageTwoOptions) {
    this.#options = options;
    this.keying = new KeyingCheck(options.between, options.onNote);
  }

  readonly open = (assigned: Assigned, nowMs: number, context: ReaderContext): BlockPartition => {
    const { now, onNote, stallMs = STALL_MS } = this.#options;
    return new BlockPartition(assigned, nowMs, context, {
      keying: this.keying,
      now,
      onNote,
      allQueued: this.#queued,
      places: () => this.#options.together.places(),
      stallMs,
    });
  };

  /** The engine that reads the topic. */
  attach(engine: Pick<Engine, 'partitions' | 'windows'>): void {
    this.#engine = engine;
  }

  completeAtMs(): number | undefined {
    return this.#options.together.completeAtMs(this.#options.readyLagUs);
  }

  /** Not while parts of clusters may lie elsewhere. */
  readonly holds = (cluster: string): boolean => {
    const { topic, partitions } = this.#options.between;
    const partition = partitionOf(cluster, partitions);
    return this.wrong === '' && this.#engine?.partitions.of({ topic, partition }) !== undefined;
  };

  /** Why findings may be wrong now; '' when they are not. */
  get wrong(): string {
    return this.keying.wrongSince(this.#engine?.windows.span?.fromUs);
  }

  readonly #queued = (): number => {
    const streams = this.#engine?.partitions.streams() ?? [];
    return streams.reduce((sum, { queuedBytes }) => sum + queuedBytes, 0);
  };
}
