/** Sends what waits in a queue, one attempt after the other, until it is delivered or turned down for good. */
import { attempt, reasonText } from './attempt.js';
import { type BackoffOptions, backoffMs } from './backoff.js';
import type { Clock } from './clock.js';
import type { Notice } from './notice.js';
import type { Settler } from './settler.js';
import type { SendResult, Sink } from './sink.js';
import type { Entry, Queue } from './spool/queue.js';
import type { Tally } from './tally.js';
import { endedOrAborted } from './wait.js';

export interface PumpOptions {
  readonly backoff: BackoffOptions;
  /** For one attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** A message that could not be delivered for so long is turned down. */
  readonly maxAgeMs: number;
}

interface Letter {
  readonly entry: Entry;
  readonly notice: Notice;
}

/** After so many failures of a receiver that answers, another message is tried: perhaps only this one fails. */
const FAILURES_BEFORE_PROBE = 3;

export class Pump {
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #failures = 0;
  /** Sent one by one until those that were refused together are apart. */
  #alone = 0;

  constructor(
    readonly queue: Queue,
    readonly sink: Sink,
    readonly settler: Settler,
    readonly tally: Tally,
    readonly options: PumpOptions,
    readonly clock: Clock,
  ) {}

  start(): void {
    this.#running ??= this.#run();
  }

  /** Breaks off an attempt that goes on: its message stays in the queue. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const { changed } = this.queue;
      const letters = await this.#next();
      if (letters.length > 0) await this.#tell(letters);
      else if (this.queue.size === 0) await endedOrAborted(changed, signal);
    }
  }

  /** The first messages; one that the spool gives back damaged is settled with that reason. */
  async #next(): Promise<Letter[]> {
    const letters: Letter[] = [];
    for (const entry of this.queue.head(this.#alone > 0 ? 1 : this.sink.batch)) {
      try {
        const notice = await this.queue.read(entry);
        if (notice !== undefined) letters.push({ entry, notice });
        else await this.settler.lost(entry, 'the spool gave back a damaged line');
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        await this.settler.lost(entry, reasonText(`the spool cannot be read: ${reason}`));
      }
    }
    return letters;
  }

  async #tell(letters: readonly Letter[]): Promise<void> {
    const result = await this.#send(letters);
    // Broken off: whether it arrived is not known, so it stays.
    if (this.#stop.signal.aborted && result.outcome !== 'delivered') return;
    this.#alone = Math.max(0, this.#alone - 1);
    if (result.outcome === 'delivered') return this.#delivered(letters, result.answer);
    if (result.outcome === 'refused') {
      if (letters.length > 1) this.#alone = letters.length;
      else await this.#refuse(letters[0], result.reason);
      return;
    }
    this.#failures += 1;
    this.tally.failure = result.reason;
    const expired = letters.filter(({ entry }) => this.clock.now() - entry.atMs > this.options.maxAgeMs);
    const hours = Math.round(this.options.maxAgeMs / 3_600_000);
    for (const letter of expired) await this.#refuse(letter, `not delivered for ${hours} h; at last: ${result.reason}`);
    if (expired.length > 0) return;
    if (result.answered && this.#failures >= FAILURES_BEFORE_PROBE && (await this.#isPoison(letters, result.reason))) {
      return;
    }
    await this.#wait(result.afterMs);
  }

  /** A message that fails while another goes through would hold up the rest for ever: it is turned down. */
  async #isPoison(letters: readonly Letter[], reason: string): Promise<boolean> {
    const [first] = letters;
    if (first === undefined) return false;
    if (letters.length > 1) {
      this.#alone = letters.length;
      return false;
    }
    const entry = this.queue.other(first.entry.key);
    const notice = entry === undefined ? undefined : await this.queue.read(entry).catch(() => undefined);
    if (entry === undefined || notice === undefined) return false;
    const other = [{ entry, notice }];
    const result = await this.#send(other);
    if (result.outcome !== 'delivered') return false;
    const times = this.#failures;
    await this.#delivered(other, result.answer);
    await this.#refuse(first, `failed ${times} times while others went through: ${reason}`);
    return true;
  }

  #send(letters: readonly Letter[]): Promise<SendResult> {
    const notices = letters.map(({ notice }) => notice);
    return attempt(this.sink, notices, this.options.timeoutMs, this.clock, this.#stop.signal);
  }

  async #delivered(letters: readonly Letter[], answer: string): Promise<void> {
    this.#failures = 0;
    this.tally.delivered(letters.length, answer);
    await this.settler.settle(letters, 'delivered');
  }

  async #refuse(letter: Letter | undefined, reason: string): Promise<void> {
    if (letter === undefined) return;
    try {
      const where = await this.settler.keep(letter, reason);
      this.tally.refused(reason, where);
      this.#failures = 0;
      await this.settler.settle([letter], 'refused');
    } catch (error) {
      this.#failures += 1;
      this.tally.failure = reasonText(`${reason}; and that cannot be noted: ${String(error)}`);
      await this.#wait(undefined);
    }
  }

  async #wait(askedMs: number | undefined): Promise<void> {
    const ms = backoffMs(this.options.backoff, this.#failures, this.clock.random, askedMs);
    await this.clock.sleep(ms, this.#stop.signal);
  }
}
