/** klog text has no year: it is taken from when the input was last written, or from its neighbours. */
import { HOUR } from '../../model/time.js';

const DAY = 24 * HOUR;

/** Finds the year of month/day times near a known moment; remembers the last day, as neighbours share it. */
export class YearFinder {
  private month = 0;
  private day = 0;
  private dayUs = 0;
  private hintUs: number;

  /** `hintUs`: microseconds since the epoch; 0 when nothing is known yet. */
  constructor(hintUs: number) {
    this.hintUs = hintUs;
  }

  /** A better moment, as from records that carry a full date. */
  learn(hintUs: number): void {
    this.hintUs = hintUs;
    this.month = 0;
  }

  /** Microseconds since the epoch, at most one day after the hint and else as near to it as a year allows. */
  resolve(month: number, day: number, timeOfDayUs: number): number {
    if (month !== this.month || day !== this.day) {
      this.month = month;
      this.day = day;
      this.dayUs = startOfDay(month, day, this.hintUs);
    }
    return this.dayUs + timeOfDayUs;
  }
}

/** The latest such day that begins no more than one day after the hint. 29 February goes back to a leap year. */
function startOfDay(month: number, day: number, hintUs: number): number {
  const year = new Date(hintUs / 1000).getUTCFullYear();
  for (let candidate = year + 1; candidate > year - 9; candidate--) {
    const us = Date.UTC(candidate, month - 1, day) * 1000;
    if (new Date(us / 1000).getUTCDate() === day && us <= hintUs + DAY) return us;
  }
  return Date.UTC(year, month - 1, day) * 1000;
}
