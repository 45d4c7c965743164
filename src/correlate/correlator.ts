/**
 * Takes the records of all inputs and gives each to what correlates its cluster, so that facts of different clusters
 * never meet: names of servers, objects and clients, addresses and Audit-IDs say nothing outside of their cluster.
 */
import { DEFAULT_CLUSTER, type Snapshot } from '../model/analysis.js';
import type { InputRef } from '../model/origin.js';
import type { ProxiedRequest } from '../model/proxied-request.js';
import type { ProblemReason, Rec } from '../model/record.js';
import { ClusterCorrelator, type Shared } from './cluster-correlator.js';
import { Duplicates } from './duplicates.js';
import type { Keeper, Reread } from './requests/recent-events.js';
import { mergeSnapshots } from './snapshot/merge.js';

/** Names are part of messages, and those may be hostile: clusters beyond this share one correlator, as one with unclear names. */
const MOST_CLUSTERS = 128;

export class Correlator {
  readonly #shared: Shared = { duplicates: new Duplicates(), named: new Set() };
  readonly #begin: () => ClusterCorrelator;
  /** Takes what names no cluster, and the first that is named: where one alone is named, the rest is of it too. */
  readonly #first: ClusterCorrelator;
  readonly #parts: ClusterCorrelator[];
  /** By name; '' for what names none. */
  readonly #byCluster = new Map<string, ClusterCorrelator>();
  readonly #byInput = new Map<InputRef, ClusterCorrelator>();
  /** Of inputs as a whole: whose clusters' records they hold. */
  readonly #homes = new Map<InputRef, Set<ClusterCorrelator>>();
  #lastInput: InputRef | undefined;
  #last: ClusterCorrelator;
  #waiting = 0;

  /**
   * `reread` reads an event again from its place in a chunk that was taken before; `tell`: single requests are wanted
   * too, and `requests()` will be asked for them; `keeper` hears of chunks that are kept for `reread`.
   */
  constructor(reread: Reread, tell = false, keeper?: Keeper) {
    this.#begin = () => new ClusterCorrelator(this.#shared, reread, tell, keeper);
    this.#first = this.#begin();
    this.#last = this.#first;
    this.#parts = [this.#first];
  }

  /** Takes records in any order that keeps each input's own. */
  take(record: Rec, input: InputRef): void {
    if (input !== this.#lastInput) this.#turnTo(input);
    const part = this.#last;
    const before = part.waitingRequests;
    part.take(record, input);
    this.#waiting += part.waitingRequests - before;
  }

  /** Tells the damage that the formats stage counted in an input. */
  noteProblems(input: InputRef, problems: ReadonlyMap<ProblemReason, number>): void {
    const [home, another] = this.#homes.get(input) ?? [];
    const known = another === undefined ? home : undefined;
    if (known !== undefined || problems.size > 0) (known ?? this.#of(input.cluster)).noteProblems(input, problems);
  }

  /** Duplicate records so far, by input. */
  get duplicates(): Pick<Duplicates, 'get'> {
    return this.#shared.duplicates;
  }

  /** The end of the records: calls and errors that still wait for a word are decided. */
  end(): void {
    for (const part of this.#parts) part.end();
    this.#count();
  }

  /** How many single requests wait to be told. */
  get waitingRequests(): number {
    return this.#waiting;
  }

  /** Single proxied requests that are complete and were not given before. */
  requests(): ProxiedRequest[] {
    const requests = this.#parts.flatMap((part) => part.requests());
    this.#count();
    return requests;
  }

  /** What the totals show so far; may be asked at any time. */
  snapshot(): Snapshot {
    return mergeSnapshots(this.#parts.map((part) => part.snapshot()));
  }

  #turnTo(input: InputRef): void {
    let part = this.#byInput.get(input);
    if (part === undefined) {
      part = this.#of(input.cluster);
      this.#byInput.set(input, part);
      const whole = input.of ?? input;
      this.#homes.set(whole, (this.#homes.get(whole) ?? new Set()).add(part));
    }
    this.#lastInput = input;
    this.#last = part;
  }

  #of(cluster = ''): ClusterCorrelator {
    const known = this.#byCluster.get(cluster);
    if (known !== undefined) return known;
    if (cluster !== '') this.#shared.named.add(cluster);
    const part = this.#placeFor(cluster);
    this.#byCluster.set(cluster, part);
    return part;
  }

  #placeFor(cluster: string): ClusterCorrelator {
    if (this.#shared.named.size < 2) return this.#first;
    if (cluster === '') return this.#of(DEFAULT_CLUSTER);
    const last = this.#parts.at(-1);
    if (last !== undefined && this.#parts.length >= MOST_CLUSTERS) return last;
    const part = this.#begin();
    this.#parts.push(part);
    return part;
  }

  #count(): void {
    this.#waiting = this.#parts.reduce((sum, part) => sum + part.waitingRequests, 0);
  }
}
