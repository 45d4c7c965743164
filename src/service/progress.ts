/**
 * How far a stream of records has come in event time. A stream that goes back, as when logs are sent file by file, counts
 * as a little further than where it was: the others come up to there first, for they are about to go back as well.
 */

/** A record that is older than those before it by more than this, in microseconds, begins another pass over the same time. */
const BACK_US = 10_000_000;
/** What each pass counts as further than the one before it, and all of them together at the most. */
const STEP_US = 10_000_000;
const MOST_US = 60_000_000;

export class Progress {
  /** The latest time of all records, and of those of this pass. */
  #topUs = Number.NEGATIVE_INFINITY;
  #passUs = Number.NEGATIVE_INFINITY;
  /** Where this pass begins to count. */
  #markUs = Number.NEGATIVE_INFINITY;

  /** A record of this time was given. */
  note(us: number): void {
    if (this.goesBack(us)) {
      this.#markUs = this.#nextMark();
      this.#passUs = us;
      return;
    }
    if (us > this.#passUs) this.#passUs = us;
    if (us > this.#topUs) this.#topUs = us;
  }

  /** Whether a record of this time begins another pass. */
  goesBack(us: number): boolean {
    return us < this.#passUs - BACK_US;
  }

  /** What a stream counts as whose next record is of this time: the time itself, as long as it never went back. */
  rank(us: number): number {
    return Math.max(this.goesBack(us) ? this.#nextMark() : this.#markUs, us);
  }

  /** The least time of what may be given together with a record of this time. */
  fromUs(us: number): number {
    return (this.goesBack(us) ? us : this.#passUs) - BACK_US;
  }

  #nextMark(): number {
    return Math.min(Math.max(this.#markUs, this.#topUs) + STEP_US, this.#topUs + MOST_US);
  }
}
