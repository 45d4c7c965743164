/**
 * Exact times, the earliest few of each of a bounded number of stretches: to tell whether facts of two books happened
 * together. Stretches begin at a second and double in length; what is kept depends on the times alone.
 */
import { SECOND } from '../model/time.js';

const BUCKETS = 32;
const EACH = 16;

export class Moments {
  #width = SECOND;
  #buckets = new Map<number, number[]>();

  add(timeUs: number): void {
    this.#put(Math.floor(timeUs / this.#width), [timeUs]);
  }

  merge(other: Moments): void {
    while (this.#width < other.#width) this.#widen();
    for (const times of other.#buckets.values()) for (const timeUs of times) this.add(timeUs);
  }

  /** Those of which `fits` says so. */
  where(fits: (timeUs: number) => boolean): Moments {
    const found = new Moments();
    for (const timeUs of this.list()) if (fits(timeUs)) found.add(timeUs);
    return found;
  }

  /** In order of time, in microseconds. */
  list(): number[] {
    return [...this.#buckets.values()].flat().sort((a, b) => a - b);
  }

  #put(bucket: number, times: readonly number[]): void {
    const kept = [...(this.#buckets.get(bucket) ?? []), ...times].sort((a, b) => a - b).slice(0, EACH);
    this.#buckets.set(bucket, kept);
    while (this.#buckets.size > BUCKETS) this.#widen();
  }

  #widen(): void {
    this.#width *= 2;
    const narrow = this.#buckets;
    this.#buckets = new Map();
    for (const [bucket, times] of narrow) this.#put(Math.floor(bucket / 2), times);
  }
}

/** How many of the first times have one of the second within the distance (microseconds), each taken once. Both in order. */
export function together(times: readonly number[], others: readonly number[], within: number): number {
  let found = 0;
  let at = 0;
  for (const time of times) {
    while (at < others.length && (others[at] ?? 0) < time - within) at += 1;
    if (at < others.length && (others[at] ?? 0) <= time + within) {
      found += 1;
      at += 1;
    }
  }
  return found;
}
