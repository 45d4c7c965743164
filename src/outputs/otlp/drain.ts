/** Sends the messages of a backlog in order, one after the other, until each is delivered or turned down for good. */
import { backoffMs } from '../delivery/backoff.js';
import type { Clock } from '../delivery/clock.js';
import { endedOrAborted } from '../delivery/wait.js';
import type { Undelivered } from '../output.js';
import type { Backlog, Entry } from './backlog.js';
import type { Payload } from './encode.js';
import type { PostResult } from './post.js';
import { safeText } from './safe-text.js';

export type Send = (payload: Payload, signal: AbortSignal) => Promise<PostResult>;

const BACKOFF = { firstMs: 1_000, maxMs: 60_000 };
/** After so many failures of a receiver that answers, another message is tried: perhaps only this one fails. */
const FAILURES_BEFORE_PROBE = 5;
const MAX_WORDS = 300;
/** Different reasons that are told apart in one report. */
const MAX_REASONS = 20;

export interface Settled {
  readonly delivered: number;
  readonly refused: readonly Undelivered[];
  readonly answer: string | undefined;
}

export class Drain {
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #failures = 0;
  #delivered = 0;
  #refused = new Map<string, number>();
  #answer: string | undefined;
  /** Why the last attempt failed; '' after one that did not. */
  failure = '';

  constructor(
    readonly backlog: Backlog,
    readonly send: Send,
    readonly clock: Clock,
  ) {}

  start(): void {
    this.#running ??= this.#run();
  }

  /** Breaks off an attempt that goes on: its message stays in the backlog. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** What was settled since the last call. Refused ones are kept nowhere: the logs they were made of are the source. */
  take(): Settled {
    const refused = [...this.#refused].map(([reason, count]) => ({ count, reason, where: null }));
    const settled = { delivered: this.#delivered, refused, answer: this.#answer };
    this.#delivered = 0;
    this.#refused = new Map();
    return settled;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const { changed } = this.backlog;
      const entry = this.backlog.at(0);
      if (entry === undefined) await endedOrAborted(changed, signal);
      else await this.#tell(entry, signal);
    }
  }

  async #tell(entry: Entry, signal: AbortSignal): Promise<void> {
    const result = await this.#try(entry, signal);
    if (result?.outcome !== 'retry') return;
    // Broken off: whether it arrived is not known, so it stays; its ids make a second one no second span.
    if (signal.aborted) return;
    this.#failures += 1;
    this.failure = result.reason;
    if (result.answered && this.#failures >= FAILURES_BEFORE_PROBE && (await this.#isPoison(entry, signal))) return;
    await this.clock.sleep(backoffMs(BACKOFF, this.#failures, this.clock.random, result.afterMs), signal);
  }

  /** A message that fails while another goes through would hold up the rest for ever: it is turned down. */
  async #isPoison(entry: Entry, signal: AbortSignal): Promise<boolean> {
    const { failure } = this;
    const times = this.#failures;
    const other = this.backlog.at(1);
    const result = other === undefined ? undefined : await this.#try(other, signal);
    if (result?.outcome !== 'delivered') return false;
    this.#refuse(`failed ${times} times while others went through: ${failure}`, entry.count);
    await this.#settle(entry);
    return true;
  }

  /** Sends once and settles what is decided; undefined when there was nothing to send. */
  async #try(entry: Entry, signal: AbortSignal): Promise<PostResult | undefined> {
    const payload = await this.#read(entry);
    if (payload === undefined) return undefined;
    const result = await this.send(payload, signal);
    if (result.outcome === 'retry') return result;
    this.#failures = 0;
    this.failure = '';
    if (result.outcome === 'refused') this.#refuse(result.reason, entry.count);
    else this.#deliver(entry.count, result);
    await this.#settle(entry);
    return result;
  }

  #deliver(count: number, { answer, partial }: PostResult & { outcome: 'delivered' }): void {
    const rejected = Math.min(count, partial?.rejected ?? 0);
    this.#delivered += count - rejected;
    this.#answer = answer;
    if (rejected > 0) this.#refuse(`rejected by the receiver: ${partial?.message ?? ''}`, rejected);
  }

  #refuse(reason: string, count: number): void {
    const short = safeText(reason, MAX_WORDS);
    const key = this.#refused.has(short) || this.#refused.size < MAX_REASONS ? short : 'other reasons';
    this.#refused.set(key, (this.#refused.get(key) ?? 0) + count);
  }

  async #read(entry: Entry): Promise<Payload | undefined> {
    let words = 'the spool gave back a damaged line';
    try {
      const payload = await this.backlog.read(entry);
      if (payload !== undefined) return payload;
    } catch (error) {
      words = `the spool cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    }
    this.#refuse(words, entry.count);
    await this.#settle(entry);
    return undefined;
  }

  /** The entry has left the backlog even when its storage cannot be freed; a later process would send it once more. */
  async #settle(entry: Entry): Promise<void> {
    try {
      await this.backlog.settle(entry);
    } catch (error) {
      this.failure = `the spool cannot be freed: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}
