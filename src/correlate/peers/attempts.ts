/** Attempts of one server to call another, good and bad, added up. */
import type { PeerCallCause } from '../../model/observations/index.js';
import { EvidenceSet } from '../evidence.js';
import { Moments } from '../moments.js';
import { TimeHistogram } from '../time-histogram.js';

export class Failures {
  readonly times = new TimeHistogram(256);
  readonly at = new Moments();
  readonly evidence = new EvidenceSet();
  error = '';
  #errorAt = Number.POSITIVE_INFINITY;

  add(timeUs: number, error: string): void {
    this.times.add(timeUs);
    this.at.add(timeUs);
    if (timeUs < this.#errorAt || (timeUs === this.#errorAt && error < this.error)) {
      this.#errorAt = timeUs;
      this.error = error.slice(0, 400);
    }
  }

  merge(other: Failures): void {
    this.times.merge(other.times);
    this.at.merge(other.at);
    this.evidence.merge(other.evidence);
    if (other.#errorAt < this.#errorAt || (other.#errorAt === this.#errorAt && other.error < this.error)) {
      this.#errorAt = other.#errorAt;
      this.error = other.error;
    }
  }
}

export class Attempts {
  readonly ok = new TimeHistogram(256);
  readonly okEvidence = new EvidenceSet(3);
  readonly failures = new Map<PeerCallCause, Failures>();

  fail(cause: PeerCallCause): Failures {
    let failures = this.failures.get(cause);
    if (failures === undefined) {
      failures = new Failures();
      this.failures.set(cause, failures);
    }
    return failures;
  }

  merge(other: Attempts): void {
    this.ok.merge(other.ok);
    this.okEvidence.merge(other.okEvidence);
    for (const [cause, failures] of other.failures) this.fail(cause).merge(failures);
  }
}

/** A map that makes its values: `attempts.of(key)`. */
export class AttemptMap<K> {
  readonly #byKey = new Map<K, Attempts>();

  constructor(readonly limit = 5_000) {}

  of(key: K): Attempts {
    let attempts = this.#byKey.get(key);
    if (attempts === undefined) {
      attempts = new Attempts();
      if (this.#byKey.size < this.limit) this.#byKey.set(key, attempts);
    }
    return attempts;
  }

  get(key: K): Attempts | undefined {
    return this.#byKey.get(key);
  }

  entries(): Iterable<[K, Attempts]> {
    return this.#byKey.entries();
  }
}
