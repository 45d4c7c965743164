/** What only single requests tell: how long the hops took, and which failed for what cause. */
import type { ProxiedRequest } from '../../model/proxied-request.js';
import { hopMs } from '../otlp/clock.js';
import { RecentKeys } from '../otlp/recent-keys.js';
import { sourceTraceId } from '../otlp/request-spans.js';
import { isFailure } from '../otlp/sampling.js';
import type { Labels, Sample } from './family.js';
import type { SeriesLimit } from './series-limit.js';

/** In seconds; a hop inside one data centre takes a few milliseconds. */
export const HOP_BOUNDARIES: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
export const HOP_METRIC = 'skewscope_hop_seconds';
export const FAILURE_METRIC = 'skewscope_proxied_failures_total';

/** Requests that are recognised when they come again. */
const MAX_RECENT = 100_000;

export interface HopTimes {
  readonly labels: Labels;
  /** One more than the boundaries: the last counts what lies above all. */
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}

export class RequestTotals {
  readonly #seen = new RecentKeys(MAX_RECENT);
  readonly #hops = new Map<string, { labels: Labels; counts: number[]; sum: number; count: number }>();
  readonly #failures = new Map<string, Sample>();

  constructor(readonly limit: SeriesLimit) {}

  /** A request that comes again, as after a restart of its reader, is not counted again. */
  add(request: ProxiedRequest): void {
    const { cluster, source, destination, cause } = request;
    const key = `${sourceTraceId(request)} ${destination?.server ?? ''} ${destination?.receivedUs ?? ''}`;
    if (!this.#seen.add(key)) return;
    const edge = { cluster, source: source.server, destination: destination?.server ?? 'none' };
    const ms = hopMs(request);
    if (ms !== null) this.#addHop(this.limit.place(HOP_METRIC, edge), ms / 1000);
    if (isFailure(request)) this.#addFailure(this.limit.place(FAILURE_METRIC, { ...edge, cause: cause ?? 'unknown' }));
  }

  get hops(): readonly HopTimes[] {
    return [...this.#hops.values()];
  }

  get failures(): readonly Sample[] {
    return [...this.#failures.values()];
  }

  #addHop(labels: Labels, seconds: number): void {
    const key = JSON.stringify(labels);
    const counts = () => new Array<number>(HOP_BOUNDARIES.length + 1).fill(0);
    const hop = this.#hops.get(key) ?? { labels, counts: counts(), sum: 0, count: 0 };
    this.#hops.set(key, hop);
    const at = HOP_BOUNDARIES.findIndex((boundary) => seconds <= boundary);
    const bucket = at < 0 ? HOP_BOUNDARIES.length : at;
    hop.counts[bucket] = (hop.counts[bucket] ?? 0) + 1;
    hop.sum += seconds;
    hop.count += 1;
  }

  #addFailure(labels: Labels): void {
    const key = JSON.stringify(labels);
    this.#failures.set(key, { labels, value: (this.#failures.get(key)?.value ?? 0) + 1 });
  }
}
