/** How many requests a life answered over time, and how many of them with 404 or 5xx. */
import { SECOND } from '../model/time.js';
import { TimeHistogram } from './time-histogram.js';

export class Rates {
  readonly requests = new TimeHistogram(1_024);
  readonly notFound = new TimeHistogram(1_024);
  readonly serverErrors = new TimeHistogram(1_024);
  #second = Number.NEGATIVE_INFINITY;
  #count = 0;

  /** Counts one answered request; runs of the same second cost one histogram update. */
  add(timeUs: number, code: number): void {
    if (timeUs - this.#second >= SECOND || timeUs < this.#second) {
      this.flush();
      this.#second = Math.floor(timeUs / SECOND) * SECOND;
    }
    this.#count += 1;
    if (code === 404) this.notFound.add(timeUs);
    else if (code >= 500) this.serverErrors.add(timeUs);
  }

  flush(): void {
    if (this.#count > 0) this.requests.add(this.#second, this.#count);
    this.#count = 0;
  }
}
