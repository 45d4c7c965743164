/**
 * How far in event time a replica may be ahead of the others: stage two holds what it is ahead in memory, and pairs what
 * lies near together, so a busy cluster allows less than a quiet one.
 */

const MAX_US = 120_000_000;
const MIN_US = 2_000_000;
/** Bytes of blocks that one replica may be ahead. */
const BYTES = 12 * 1024 * 1024;
/** Event time over which the rate is taken anew. */
const SPAN_US = 5_000_000;

export class Pace {
  #bytes = 0;
  #fromUs = Number.NaN;
  #toUs = Number.NEGATIVE_INFINITY;
  #aheadUs = MAX_US;

  /** In microseconds. */
  get aheadUs(): number {
    return this.#aheadUs;
  }

  /** So many bytes were written for a record of that time, in microseconds. */
  count(bytes: number, timeUs: number): void {
    this.#bytes += bytes;
    if (timeUs > this.#toUs) this.#toUs = timeUs;
    if (!(this.#fromUs <= timeUs)) this.#fromUs = timeUs;
    const span = this.#toUs - this.#fromUs;
    // A rush within a moment counts at once.
    if (span < SPAN_US && this.#bytes < BYTES) return;
    const ahead = (Math.max(span, 1) / Math.max(1, this.#bytes)) * BYTES;
    this.#aheadUs = Math.min(MAX_US, Math.max(MIN_US, ahead));
    this.#bytes = 0;
    this.#fromUs = this.#toUs;
  }
}
