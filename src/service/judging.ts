/** From what a window shows to what outputs are told: findings opened, updated, resolved since the last time. */
import { FindingTracker } from '../findings/index.js';
import type { Analysis } from '../model/analysis.js';
import { errorText } from '../model/error-text.js';
import type { ProxiedRequest } from '../model/proxied-request.js';
import { formatTime } from '../model/time.js';
import { EMPTY_ANALYSIS, type OutputBatch } from '../outputs/output.js';
import type { ServiceOutputs } from './outputs.js';

/** Requests that wait are told when there are so many. */
const MANY_REQUESTS = 5_000;

export class Judging {
  readonly #outputs: Pick<ServiceOutputs, 'push'>;
  readonly #onBatch: (batch: OutputBatch) => void;
  #tracker = new FindingTracker();
  #requests: ProxiedRequest[] = [];
  /** The outputs have not heard yet that all began anew. */
  #anew = false;
  /** What was judged last. */
  last: Analysis | undefined;

  /** `onBatch` hears of everything that is told. */
  constructor(outputs: Pick<ServiceOutputs, 'push'>, onBatch: (batch: OutputBatch) => void = () => {}) {
    this.#outputs = outputs;
    this.#onBatch = onBatch;
  }

  /** Requests that wait for the next batch. */
  readonly addRequests = (requests: readonly ProxiedRequest[]): void => {
    this.#requests.push(...requests);
  };

  get hasManyRequests(): boolean {
    return this.#requests.length >= MANY_REQUESTS;
  }

  /**
   * `complete`: the analysis holds all that is wrong now, or all of the clusters for which it says so; what is not among
   * its findings is over.
   */
  tell(analysis: Analysis, complete: NonNullable<OutputBatch['complete']>): void {
    const changes = this.#tracker.update(analysis.findings);
    this.last = analysis;
    const { findings } = analysis;
    const whole = complete === false ? {} : { complete };
    this.#push({ changes, findings, requests: this.#takeRequests(), analysis, ...whole });
  }

  /** Tells only the requests that wait: the window is not at a point where its findings are told. */
  tellRequests(analysis: Analysis): void {
    const findings = this.last?.findings ?? [];
    this.#push({ changes: [], findings, requests: this.#takeRequests(), analysis });
  }

  /** Tells all findings with the next batch as if nobody knew of them, as to outputs that are new. */
  tellAnew(): void {
    this.#tracker = new FindingTracker();
  }

  /**
   * Begins anew, as after a rebalance: nothing is resolved by it. Clusters that are another's now are shown no more, and
   * their findings are open no more as far as this process knows: receivers would be reminded of them when they are over.
   */
  reset(isHeld: (cluster: string) => boolean = () => true): void {
    this.tellAnew();
    this.#requests = [];
    const { last } = this;
    if (last === undefined) return;
    this.#anew = true;
    const findings = last.findings.filter(({ cluster }) => isHeld(cluster));
    const isLeft = !last.clusters.some(isHeld);
    if (findings.length === last.findings.length && !isLeft) return;
    this.last = isLeft ? undefined : { ...last, findings };
    this.#push({ changes: [], findings, requests: [], analysis: this.last ?? EMPTY_ANALYSIS });
  }

  #push(told: OutputBatch): void {
    const batch = this.#anew ? { ...told, anew: true } : told;
    this.#anew = false;
    this.#outputs.push(batch);
    this.#onBatch(batch);
  }

  #takeRequests(): readonly ProxiedRequest[] {
    const requests = this.#requests;
    this.#requests = [];
    return requests;
  }
}

/**
 * Runs what judges a window. Rules that fail are listed as unjudged; what throws here is a mistake of this program, and the
 * next process would meet it again: the error says where.
 */
export function judged<T>(span: { readonly fromUs: number; readonly toUs: number } | undefined, judge: () => T): T {
  try {
    return judge();
  } catch (error) {
    const words = errorText(error);
    const when = span === undefined ? 'what was read' : `${formatTime(span.fromUs)} to ${formatTime(span.toUs)}`;
    const advice =
      'a restart meets it again, so please report it with the log; kafka.group of another name and kafka.from begin later';
    throw new Error(`judging ${when}: ${words}; ${advice}`, { cause: error });
  }
}
