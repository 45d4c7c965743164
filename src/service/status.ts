/** The service as its HTTP interface shows it. */
import type { Analysis } from '../model/analysis.js';
import type { ProxiedRequest } from '../model/proxied-request.js';
import type { OutputBatch } from '../outputs/index.js';
import type { Family } from '../outputs/metrics/family.js';
import { plural } from '../report/text/page.js';
import type { Engine } from './engine.js';
import type { Notes } from './notes.js';
import type { ServiceOutputs } from './outputs.js';
import { partitionFamilies } from './partition-families.js';
import type { Partition } from './partitions.js';
import { Rate } from './rate.js';
import type { ScaleOut } from './scale-out.js';
import type { PartitionStatus, ServiceStatus, ServiceView } from './view.js';

const MAX_REQUESTS = 200;
/** A partition that is at its end is asked about every few seconds. */
const SILENT_MS = 30_000;

export interface StatusOptions {
  readonly version: string;
  readonly readyLagUs: number;
  readonly engine: Engine;
  /** Where replicas share the work. */
  readonly scaleOut?: Pick<ScaleOut, 'stageOne' | 'stageTwo'>;
  readonly outputs: ServiceOutputs;
  readonly notes: Notes;
  readonly now: () => number;
}

export class Status implements ServiceView {
  readonly #options: StatusOptions;
  readonly #startedAtMs: number;
  readonly #rate: Rate;
  #requests: readonly ProxiedRequest[] = [];
  stopping = false;
  members = 0;
  configLoadedAtMs: number;
  configFailure = '';
  /** Other members of the group read partitions whose records would have to meet here. */
  split = false;

  constructor(options: StatusOptions) {
    this.#options = options;
    this.#startedAtMs = options.now();
    this.configLoadedAtMs = this.#startedAtMs;
    this.#rate = new Rate(this.#startedAtMs);
  }

  /** Hears of every batch that goes to the outputs. */
  readonly take = ({ requests }: OutputBatch): void => {
    if (requests.length === 0) return;
    this.#requests = [...[...requests].reverse(), ...this.#requests].slice(0, MAX_REQUESTS);
  };

  status(): ServiceStatus {
    const { version, engine, outputs, notes, now } = this.#options;
    return {
      version,
      startedAtMs: this.#startedAtMs,
      phase: this.#phase(),
      window: engine.windows.span ?? null,
      records: engine.records,
      recordsPerSecond: this.#rate.of(engine.records, now()),
      members: this.members,
      partitions: this.#partitions(),
      sinks: outputs.status(),
      notes: notes.list,
      configLoadedAtMs: this.configLoadedAtMs,
      configFailure: this.configFailure,
    };
  }

  deadReasons(): readonly string[] {
    const { engine, scaleOut } = this.#options;
    return [engine.failure, scaleOut?.stageOne.failure].flatMap((failure) => failure?.message ?? []);
  }

  unreadyReasons(): readonly string[] {
    const { engine, scaleOut } = this.#options;
    if (this.stopping) return ['the service is stopping'];
    if (!engine.isAssigned || scaleOut?.stageOne.isAssigned === false)
      return ['the consumer group has given no partitions yet'];
    return [...this.#wrongReasons(), ...this.#silenceReasons(), ...this.#lagReasons(), ...this.#sinkReasons()];
  }

  analysis(): Analysis | undefined {
    return this.#options.engine.analysis;
  }

  recentRequests(): readonly ProxiedRequest[] {
    return this.#requests;
  }

  /** Lag and positions of the partitions that this process owns, for metrics. */
  families(): Family[] {
    return partitionFamilies(this.#partitions(), this.#options.now());
  }

  /** Records of the partitions that this process owns whose sender was one too many to be told apart. */
  get unnamed(): number {
    return this.#own().reduce((sum, { stream }) => sum + stream.unnamed, 0);
  }

  #phase(): ServiceStatus['phase'] {
    const { engine } = this.#options;
    if (this.stopping) return 'stopping';
    if (!engine.isAssigned) return 'starting';
    return engine.isLive ? 'live' : 'catching-up';
  }

  #partitions(): PartitionStatus[] {
    return this.#own().map(statusOf).sort(byName);
  }

  /** Of both stages, where there are two. */
  #own(): Partition[] {
    const { engine, scaleOut } = this.#options;
    return [...(scaleOut?.stageOne.partitions.all() ?? []), ...engine.partitions.all()];
  }

  /** Why findings are incomplete, whatever is read. */
  #wrongReasons(): string[] {
    const wrong = this.#options.scaleOut?.stageTwo.wrong ?? '';
    return [...(this.split ? [SPLIT] : []), ...(wrong === '' ? [] : [wrong])];
  }

  /** Brokers that hang leave connections open and say nothing: then nobody knows how far behind this is. */
  #silenceReasons(): string[] {
    const { now } = this.#options;
    const silent = this.#own().filter(({ stream }) => !stream.paused && now() - stream.heardAtMs > SILENT_MS);
    return silent.map(({ stream: { topic, partition, heardAtMs } }) => {
      return `nothing was heard of ${topic}/${partition} for ${Math.round((now() - heardAtMs) / 1_000)} s`;
    });
  }

  #lagReasons(): string[] {
    const { readyLagUs, now } = this.#options;
    const late = this.#partitions().filter(({ position, end, eventTimeUs }) => {
      return position < end && (eventTimeUs === null || now() * 1_000 - eventTimeUs > readyLagUs);
    });
    return late.map(
      ({ topic, partition, position, end }) => `${topic}/${partition} is ${plural(end - position, 'message')} behind`,
    );
  }

  #sinkReasons(): string[] {
    const failing = this.#options.outputs.status().filter(({ isFailing }) => isFailing);
    return failing.map(({ name, failure, waiting }) => {
      return `${name} takes nothing, ${plural(waiting, 'message')} waiting: ${failure}`;
    });
  }
}

/** Said by whoever is a member of a group of several without the topic between the stages. */
export const SPLIT =
  'other members of the group read some of the partitions, so both halves of a request do not meet here and findings are incomplete; run one replica, or set kafka.scaleOut in all of them';

function statusOf({ stream, committed }: Partition): PartitionStatus {
  return {
    topic: stream.topic,
    partition: stream.partition,
    position: stream.ledger.position,
    committed,
    end: stream.end,
    eventTimeUs: stream.lastUs ?? null,
    paused: stream.paused,
    unreadable: stream.damaged,
    unnamed: stream.unnamed,
  };
}

function byName(a: PartitionStatus, b: PartitionStatus): number {
  return a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : a.partition - b.partition;
}
