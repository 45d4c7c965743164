/** From what a window shows to what outputs are told: findings opened, updated, resolved since the last time. */
import { FindingTracker } from '../findings/index.js';
import type { Analysis } from '../model/analysis.js';
import type { ProxiedRequest } from '../model/proxied-request.js';
import type { OutputBatch } from '../outputs/index.js';

export class Judging {
  #tracker = new FindingTracker();
  #requests: ProxiedRequest[] = [];
  /** What was judged last. */
  last: Analysis | undefined;

  /** Requests that wait for the next batch. */
  readonly addRequests = (requests: readonly ProxiedRequest[]): void => {
    this.#requests.push(...requests);
  };

  get waitingRequests(): number {
    return this.#requests.length;
  }

  /**
   * `complete`: the analysis holds all that is wrong now, or all of the clusters for which it says so; what is not among
   * its findings is over.
   */
  batch(analysis: Analysis, complete: NonNullable<OutputBatch['complete']>): OutputBatch {
    const changes = this.#tracker.update(analysis.findings);
    this.last = analysis;
    const { findings } = analysis;
    return { changes, findings, requests: this.#takeRequests(), analysis, ...(complete === false ? {} : { complete }) };
  }

  /** Only the requests that wait: the window is not at a point where its findings are told. */
  requestsOnly(analysis: Analysis): OutputBatch {
    const findings = this.last?.findings ?? [];
    return { changes: [], findings, requests: this.#takeRequests(), analysis };
  }

  #takeRequests(): readonly ProxiedRequest[] {
    const requests = this.#requests;
    this.#requests = [];
    return requests;
  }

  /** Tells all findings with the next batch as if nobody knew of them, as to outputs that are new. */
  tellAnew(): void {
    this.#tracker = new FindingTracker();
  }

  /** Begins anew, as after a rebalance: nothing is resolved by it. */
  reset(): void {
    this.tellAnew();
    this.#requests = [];
  }
}
