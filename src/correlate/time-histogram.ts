/**
 * Counts over event time in at most `limit` buckets. The bucket width starts at one second and doubles when the
 * buckets run out, so that the result depends on the times alone and not on their order.
 */
import { SECOND } from '../model/time.js';

export class TimeHistogram {
  #width = SECOND;
  #buckets = new Map<number, number>();
  #total = 0;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  constructor(readonly limit = 512) {}

  get total(): number {
    return this.#total;
  }
  /** Width of a bucket, in microseconds. */
  get width(): number {
    return this.#width;
  }
  /** Exact first and last time, in microseconds; Infinity and -Infinity when empty. */
  get first(): number {
    return this.#first;
  }
  get last(): number {
    return this.#last;
  }

  add(timeUs: number, count = 1): void {
    this.#total += count;
    if (timeUs < this.#first) this.#first = timeUs;
    if (timeUs > this.#last) this.#last = timeUs;
    this.#put(Math.floor(timeUs / this.#width), count);
  }

  merge(other: TimeHistogram): void {
    while (this.#width < other.#width) this.#widen();
    for (const [bucket, count] of other.#buckets) this.#put(Math.floor((bucket * other.#width) / this.#width), count);
    this.#total += other.#total;
    if (other.#first < this.#first) this.#first = other.#first;
    if (other.#last > this.#last) this.#last = other.#last;
  }

  /**
   * What is left when the counts of the other, some of the same times, are taken out: in each bucket of the wider of
   * both widths, and nowhere below nothing. First and last are those of the times of this one.
   */
  less(other: TimeHistogram): TimeHistogram {
    const left = new TimeHistogram(this.limit);
    left.merge(this);
    while (left.#width < other.#width) left.#widen();
    for (const [bucket, count] of other.#buckets) {
      const at = Math.floor((bucket * other.#width) / left.#width);
      const known = left.#buckets.get(at) ?? 0;
      const taken = Math.min(known, count);
      left.#total -= taken;
      if (taken === known) left.#buckets.delete(at);
      else left.#buckets.set(at, known - taken);
    }
    return left;
  }

  /** What stands in buckets of which `fits` says so, by their first and last microsecond; at the beginning of each. */
  where(fits: (from: number, to: number) => boolean): TimeHistogram {
    const found = new TimeHistogram(this.limit);
    for (const [timeUs, count] of this.entries()) if (fits(timeUs, timeUs + this.#width - 1)) found.add(timeUs, count);
    return found;
  }

  /** How many fall into buckets that overlap [from, to]; the edges are as sharp as the bucket width. */
  between(from: number, to: number): number {
    let sum = 0;
    for (const [bucket, count] of this.#buckets) {
      const start = bucket * this.#width;
      if (start <= to && start + this.#width > from) sum += count;
    }
    return sum;
  }

  /** Bucket start times with their counts, in time order. They depend on the times alone, not on how they came together. */
  *entries(): Generator<readonly [timeUs: number, count: number]> {
    for (const bucket of [...this.#buckets.keys()].sort((a, b) => a - b)) {
      yield [bucket * this.#width, this.#buckets.get(bucket) ?? 0];
    }
  }

  #put(bucket: number, count: number): void {
    const known = this.#buckets.get(bucket);
    this.#buckets.set(bucket, (known ?? 0) + count);
    while (known === undefined && this.#buckets.size > this.limit) this.#widen();
  }

  #widen(): void {
    this.#width *= 2;
    const narrow = this.#buckets;
    this.#buckets = new Map();
    for (const [bucket, count] of narrow) {
      const wide = Math.floor(bucket / 2);
      this.#buckets.set(wide, (this.#buckets.get(wide) ?? 0) + count);
    }
  }
}
