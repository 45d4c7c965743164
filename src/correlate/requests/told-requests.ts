/** Single requests that wait to be told, as spans are made of them: pairs once both sides have answered, and failed hops. */
import type { Half } from './half.js';
import type { Pair } from './pairing.js';

/** Whoever wants the requests takes them before there are so many; beyond it they are counted. */
const LIMIT = 50_000;
/** Requests that wait until their servers are known; of more the oldest are given up. */
const OPEN_LIMIT = 10_000;

export interface ToldPair extends Pair {
  /** The Audit-ID stands in other requests too. */
  readonly ambiguous: boolean;
}

export class ToldRequests {
  pairs: ToldPair[] = [];
  /** Requests without a partner that ended in 5xx: failed hops, if the source does not serve the resource itself. */
  failures: Half[] = [];
  readonly #told = new WeakSet<Half>();
  #openPairs: ToldPair[] = [];
  #openFailures: Half[] = [];
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

  /** Hands over what waits, together with what nobody could tell the last time. */
  drain(): { pairs: ToldPair[]; failures: Half[] } {
    const pairs = [...this.#openPairs, ...this.pairs];
    const failures = [...this.#openFailures, ...this.failures];
    this.pairs = [];
    this.failures = [];
    this.#openPairs = [];
    this.#openFailures = [];
    return { pairs, failures };
  }

  /** Takes back what cannot be told yet: the records may still show whose they are. */
  giveBack(pairs: readonly ToldPair[], failures: readonly Half[]): void {
    this.#openPairs = pairs.slice(-OPEN_LIMIT);
    this.#openFailures = failures.slice(-OPEN_LIMIT);
  }

  #full(): boolean {
    if (this.waiting < LIMIT) return false;
    this.overflow += 1;
    return true;
  }
}
