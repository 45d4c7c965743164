/** Takes batches to one output at the output's own pace: whoever reads logs waits for it only when they want to. */
import type { DeliveryReport, Output, OutputBatch } from '../output.js';
import type { Clock } from './clock.js';
import { coalesce, MAX_REQUESTS } from './coalesce.js';
import { deliverWithin } from './deliver-within.js';
import { DeliveryNews, type LaneResult, type LaneStatus } from './delivery-news.js';
import { Turnstile } from './turnstile.js';
import { endedOrAborted } from './wait.js';

export interface LaneOptions {
  readonly clock: Clock;
  readonly onMessage: (message: string) => void;
  /** After a change, others are waited for so long: what has one cause comes in quick succession. In milliseconds. */
  readonly gatherMs: number;
  /** Requests are never given up for lack of room: the caller waits for `room` before it pushes more. */
  readonly lossless?: boolean;
  /** Hears each report of an output. */
  readonly onReport?: (output: string, report: DeliveryReport) => void;
}

/** Longest that a batch is waited for before the next one may be taken; sending goes on meanwhile. */
const SETTLE_MS = 5_000;

export class Lane {
  readonly #news: DeliveryNews;
  readonly #finishing = new AbortController();
  readonly #running: Promise<void>;
  readonly #turnstile = new Turnstile();
  #pending: OutputBatch | undefined;
  /** Batches pushed so far; of these, how many the pending one holds the last of, and how many are safe. */
  #pushed = 0;
  #safe = 0;
  #broken: { readonly error: unknown } | undefined;
  #ended = false;
  #last: OutputBatch | undefined;
  #wake = () => {};

  constructor(
    readonly output: Output,
    readonly options: LaneOptions,
  ) {
    this.#news = new DeliveryNews(output.name, options.onMessage, options.clock);
    this.#running = this.#run();
    // Whoever finishes is told as well, but that may be days later.
    this.#running.catch((error: unknown) => {
      this.#broken = { error };
      options.onMessage(`${output.name}: nothing more is sent: ${String(error)}`);
      this.#turnstile.turn();
    });
  }

  get status(): LaneStatus {
    const status = this.#news.status(this.output.waiting?.());
    if (this.#broken === undefined) return status;
    return { ...status, failure: `nothing more is sent: ${this.#broken.error}`, isFailing: true };
  }

  /** So many requests wait that no more should be pushed. */
  get isFull(): boolean {
    return (this.#pending?.requests.length ?? 0) >= MAX_REQUESTS;
  }

  push(batch: OutputBatch): void {
    const { batch: merged, dropped } = this.#merge(this.#pending, batch);
    this.#pending = merged;
    this.#pushed += 1;
    if (dropped > 0) this.#news.dropped(dropped);
    this.#wake();
  }

  /** False when the signal was aborted, or the lane finished, before there was room. Rejects when nothing is sent any more. */
  room(signal: AbortSignal): Promise<boolean> {
    return this.#until(() => !this.isFull, signal);
  }

  /** True once all that was pushed before is settled or on the disk; false when aborted or finished before. Rejects when nothing is sent any more. */
  settled(signal: AbortSignal): Promise<boolean> {
    const upTo = this.#pushed;
    // A state is replaced by the next one: losing it loses nothing.
    return this.output.replaces === true ? Promise.resolve(true) : this.#until(() => this.#safe >= upTo, signal);
  }

  /** Delivers what is left for at most so many milliseconds, and closes the output. */
  async finish(deadlineMs: number): Promise<LaneResult> {
    this.#finishing.abort();
    try {
      await this.#running;
      const rest = this.#pending ?? this.#reminder();
      if (rest !== undefined) await this.#deliver(rest, deadlineMs, NEVER);
      return { ...this.#news.result(this.#pending?.changes.length ?? 0), spools: this.output.spools !== false };
    } finally {
      this.#ended = true;
      this.#turnstile.turn();
      await this.output.close();
    }
  }

  async #until(condition: () => boolean, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const { turned } = this.#turnstile;
      if (condition()) return true;
      if (this.#broken !== undefined) throw this.#broken.error;
      if (signal.aborted || this.#ended) return false;
      await endedOrAborted(turned, signal);
    }
  }

  #merge(earlier: OutputBatch | undefined, later: OutputBatch) {
    return coalesce(earlier, later, this.options.lossless === true ? Number.POSITIVE_INFINITY : MAX_REQUESTS);
  }

  async #run(): Promise<void> {
    const { signal } = this.#finishing;
    const { clock, gatherMs } = this.options;
    while (!signal.aborted) {
      if (this.#pending === undefined) await this.#idle(signal);
      else {
        await clock.sleep(gatherMs, signal);
        if (!signal.aborted) await this.#deliver(this.#pending, SETTLE_MS, signal);
      }
    }
  }

  /** Waits for a batch; from time to time looks after what was told as waiting. */
  async #idle(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await this.options.clock.sleep(SETTLE_MS, AbortSignal.any([woken.signal, signal]));
    this.#wake = () => {};
    const waiting = this.#reminder();
    if (waiting !== undefined && this.#pending === undefined && !signal.aborted) {
      await this.#deliver(waiting, SETTLE_MS, signal);
    }
  }

  /** An empty batch, to learn what became of those before; undefined when all of it is known. */
  #reminder(): OutputBatch | undefined {
    return this.#last === undefined || !this.#news.isWaiting
      ? undefined
      : { ...this.#last, changes: [], requests: [], anew: false };
  }

  async #deliver(batch: OutputBatch, withinMs: number, signal: AbortSignal): Promise<void> {
    const upTo = this.#pushed;
    this.#pending = undefined;
    this.#last = batch;
    this.#turnstile.turn();
    try {
      const report = await deliverWithin(this.output, batch, withinMs, this.options.clock, signal);
      // What came meanwhile is later than what was not taken.
      if (report.postponed === true)
        this.#pending = this.#merge(batch, this.#pending ?? { ...batch, changes: [], requests: [] }).batch;
      this.#news.take(report);
      if (report.postponed !== true && !this.#news.isAtRisk) this.#safe = upTo;
      this.options.onReport?.(this.output.name, report);
    } finally {
      this.#turnstile.turn();
    }
  }
}

const NEVER = new AbortController().signal;
