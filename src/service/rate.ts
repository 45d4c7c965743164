/** How fast a count grows, over the last seconds. */

/** Asked more often than that, the answer stays. */
const SPAN_MS = 2_000;

export class Rate {
  #count = 0;
  #atMs: number;
  #rate = 0;

  constructor(nowMs: number) {
    this.#atMs = nowMs;
  }

  /** Per second, rounded. */
  of(count: number, nowMs: number): number {
    const passedMs = nowMs - this.#atMs;
    if (passedMs >= SPAN_MS) {
      this.#rate = Math.round(((count - this.#count) / passedMs) * 1_000);
      this.#count = count;
      this.#atMs = nowMs;
    }
    return this.#rate;
  }
}
