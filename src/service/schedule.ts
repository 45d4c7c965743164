/** When it is time to judge: soon after records came, but not all the time. */

/** Judging waits so long after records for more of them, and never takes more than a tenth of the time. */
const TICK_MS = 250;
const SHARE = 10;
/** Who lags behind for good is judged all the same, so often. */
const BEHIND_MS = 60_000;

export class Schedule {
  #seen = 0;
  #nextMs = 0;
  #lastMs: number;

  constructor(nowMs: number) {
    this.#lastMs = nowMs;
  }

  /** `taken`: records so far; `isLive`: nothing is missing that was there before. */
  isDue(nowMs: number, taken: number, isLive: boolean): boolean {
    if (taken === this.#seen) return false;
    return isLive ? nowMs >= this.#nextMs : nowMs - this.#lastMs >= BEHIND_MS;
  }

  /** Judging `taken` records went on from one time to the other. */
  judged(fromMs: number, toMs: number, taken: number): void {
    this.#seen = taken;
    this.#lastMs = toMs;
    this.#nextMs = toMs + Math.max(TICK_MS, (toMs - fromMs) * SHARE);
  }

  /** Something else than records changed. */
  soon(): void {
    this.#seen = -1;
    this.#nextMs = 0;
  }
}
