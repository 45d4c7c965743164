/** Sends what waits in a box, one attempt after the other, until it is delivered or turned down for good. */
import { errorText } from '../../model/error-text.js';
import type { Undelivered } from '../output.js';
import { NO_ANSWER_YET, reasonText } from './attempt.js';
import { type BackoffOptions, backoffMs } from './backoff.js';
import type { Clock } from './clock.js';
import type { Delivered, SendResult } from './sink.js';
import { endedOrAborted } from './wait.js';

/** What a pump draws from: letters in order, how they are sent, and how they leave. */
export interface Mailbox<L> {
  /** Letters that wait. */
  readonly size: number;
  /** Resolves at the next change: something was added or settled. */
  readonly changed: Promise<void>;
  /** Most letters that are sent together. */
  readonly batch: number;
  /** The first letters, at most `count`. Those that are damaged are settled with that reason and left out. */
  next(count: number): Promise<readonly L[]>;
  /** A letter that may overtake this one; undefined when there is none. */
  other(letter: L): Promise<L | undefined>;
  /** Why it is given up although it may go better later; undefined while it is not. */
  expired(letter: L, reason: string): string | undefined;
  /** Tries once, bounded in time; every failure is a result. */
  send(letters: readonly L[], signal: AbortSignal): Promise<SendResult>;
  delivered(letters: readonly L[], result: Delivered): Promise<void>;
  /** Throws when what was turned down cannot be kept: it goes on waiting then. */
  refused(letter: L, reason: string): Promise<void>;
}

/** After so many failures of a receiver that answers, another message is tried: perhaps only this one fails. */
const FAILURES_BEFORE_PROBE = 3;

export class Pump<L> {
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #failures = 0;
  /** Sent one by one until those that were refused together are apart. */
  #alone = 0;
  /** When the first attempt began of those that nothing has come of yet, in milliseconds. */
  #triedSinceMs: number | undefined;
  /** Why the last attempt failed; '' after one that did not. */
  #failure = '';

  constructor(
    readonly box: Mailbox<L>,
    readonly backoff: BackoffOptions,
    readonly clock: Clock,
  ) {}

  /** Why what is in the box waits, in words for people, and for how long. */
  get delay(): Pick<Undelivered, 'reason' | 'triedMs' | 'failed'> {
    if (this.#triedSinceMs === undefined) return { reason: 'not sent yet' };
    const triedMs = this.clock.now() - this.#triedSinceMs;
    if (this.#failure === '') return { reason: NO_ANSWER_YET, triedMs };
    return { reason: reasonText(this.#failure), triedMs, failed: true };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Breaks off an attempt that goes on: its message goes on waiting. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const { changed } = this.box;
      const letters = await this.box.next(this.#alone > 0 ? 1 : this.box.batch);
      if (letters.length > 0) await this.#tell(letters);
      else if (this.box.size === 0) await endedOrAborted(changed, signal);
    }
  }

  async #tell(letters: readonly L[]): Promise<void> {
    const result = await this.#send(letters);
    // Broken off: whether it arrived is not known, so it stays.
    if (this.#stop.signal.aborted && result.outcome !== 'delivered') return;
    this.#alone = Math.max(0, this.#alone - 1);
    if (result.outcome === 'delivered') return this.#delivered(letters, result);
    if (result.outcome === 'refused') {
      if (letters.length > 1) this.#alone = letters.length;
      else await this.#refuse(letters[0], result.reason);
      return;
    }
    this.#failures += 1;
    this.#failure = result.reason;
    if (await this.#gaveUp(letters, result.reason)) return;
    const answers = result.answered && this.#failures >= FAILURES_BEFORE_PROBE;
    if (answers && (await this.#isPoison(letters))) return;
    await this.#wait(result.afterMs);
  }

  async #gaveUp(letters: readonly L[], reason: string): Promise<boolean> {
    let any = false;
    for (const letter of letters) {
      const words = this.box.expired(letter, reason);
      if (words === undefined) continue;
      any = true;
      await this.#refuse(letter, words);
    }
    return any;
  }

  /** A message that fails while another goes through would hold up the rest for ever: it is turned down. */
  async #isPoison(letters: readonly L[]): Promise<boolean> {
    const [first] = letters;
    if (first === undefined) return false;
    if (letters.length > 1) {
      this.#alone = letters.length;
      return false;
    }
    const other = await this.box.other(first);
    if (other === undefined) return false;
    const result = await this.#send([other]);
    if (result.outcome !== 'delivered') return false;
    const times = this.#failures + 1;
    await this.#delivered([other], result);
    // The receiver may have recovered between the two: only one that fails again is to blame.
    const again = await this.#send([first]);
    if (again.outcome === 'delivered') await this.#delivered([first], again);
    else if (again.outcome === 'refused') await this.#refuse(first, again.reason);
    else if (!again.answered || this.#stop.signal.aborted) {
      this.#failure = again.reason;
      return false;
    } else await this.#refuse(first, `failed ${times} times while others went through: ${again.reason}`);
    return true;
  }

  async #delivered(letters: readonly L[], result: Delivered): Promise<void> {
    this.#well();
    await this.box.delivered(letters, result);
  }

  async #refuse(letter: L | undefined, reason: string): Promise<void> {
    if (letter === undefined) return;
    try {
      await this.box.refused(letter, reason);
      this.#well();
    } catch (error) {
      this.#failures += 1;
      this.#failure = `${reason}; and that cannot be noted: ${errorText(error)}`;
      await this.#wait(undefined);
    }
  }

  #send(letters: readonly L[]): Promise<SendResult> {
    this.#triedSinceMs ??= this.clock.now();
    return this.box.send(letters, this.#stop.signal);
  }

  #well(): void {
    this.#failures = 0;
    this.#failure = '';
    this.#triedSinceMs = undefined;
  }

  async #wait(askedMs: number | undefined): Promise<void> {
    const ms = backoffMs(this.backoff, this.#failures, this.clock.random, askedMs);
    await this.clock.sleep(ms, this.#stop.signal);
  }
}
