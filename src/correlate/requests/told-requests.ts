/** Single requests that wait to be told, as spans are made of them: pairs once both sides have answered, and failed hops. */
import type { Half } from './half.js';
import type { Pair } from './pairing.js';

/** Whoever wants the requests takes them before there are so many; beyond it they are counted. */
const LIMIT = 50_000;

export interface ToldPair extends Pair {
  /** The Audit-ID stands in other requests too. */
  readonly ambiguous: boolean;
}

export class ToldRequests {
  pairs: ToldPair[] = [];
  /** Requests without a partner that ended in 5xx: failed hops, if the source does not serve the resource itself. */
  failures: Half[] = [];
  readonly #told = new WeakSet<Half>();
  overflow = 0;

  constructor(readonly wanted: boolean) {}

  get waiting(): number {
    return this.pairs.length + this.failures.length;
  }

  /** Takes a pair once; one that is still open is told when it is settled. */
  pair(pair: Pair, ambiguous: boolean): void {
    if (!this.wanted || this.#told.has(pair.source)) return;
    this.#told.add(pair.source);
    if (this.#full()) return;
    this.pairs.push({ ...pair, ambiguous });
  }

  failure(half: Half): void {
    if (!this.wanted || half.finalCode < 500 || half.resource === 0 || this.#told.has(half)) return;
    this.#told.add(half);
    if (this.#full()) return;
    this.failures.push(half);
  }

  /** Hands over what waits. */
  drain(): { pairs: ToldPair[]; failures: Half[] } {
    const { pairs, failures } = this;
    this.pairs = [];
    this.failures = [];
    return { pairs, failures };
  }

  #full(): boolean {
    if (this.waiting < LIMIT) return false;
    this.overflow += 1;
    return true;
  }
}
