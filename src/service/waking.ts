/** A wait of a loop that whoever brings work ends. */
import type { Clock } from '../outputs/delivery/clock.js';

export class Waking {
  #wake: () => void = () => {};

  /** Resolves after so many milliseconds, at `wake`, or when the signal is aborted. */
  async sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await clock.sleep(ms, AbortSignal.any([woken.signal, signal]));
    this.#wake = () => {};
  }

  wake(): void {
    this.#wake();
  }
}
