/** Event time cut into slots. A window is two slots long and begins with each: every moment lies in two windows. */

/** What came before the first record with a time: it is shown by the first window. */
export const EARLY = 0;

export class Slots {
  /** Length of a slot, in microseconds. */
  readonly lengthUs: number;

  constructor(windowUs: number) {
    this.lengthUs = Math.max(1, Math.floor(windowUs / 2));
  }

  /** The slot that a moment lies in; its number depends on nothing else, so every process counts alike. */
  of(timeUs: number): number {
    return Math.floor(timeUs / this.lengthUs);
  }

  beginOf(slot: number): number {
    return slot * this.lengthUs;
  }
}
