/** Takes batches to one output at the output's own pace: whoever reads logs never waits for it. */
import type { DeliveryReport, Output, OutputBatch } from '../output.js';
import type { Clock } from './clock.js';
import { coalesce } from './coalesce.js';
import { DeliveryNews, type LaneResult } from './delivery-news.js';

export interface LaneOptions {
  readonly clock: Clock;
  readonly onMessage: (message: string) => void;
  /** After a change, others are waited for so long: what has one cause comes in quick succession. In milliseconds. */
  readonly gatherMs: number;
  /** Hears each report of an output. */
  readonly onReport?: (output: string, report: DeliveryReport) => void;
}

/** Longest that a batch is waited for before the next one may be taken; sending goes on meanwhile. */
const SETTLE_MS = 5_000;

export class Lane {
  readonly #news: DeliveryNews;
  readonly #finishing = new AbortController();
  readonly #running: Promise<void>;
  #pending: OutputBatch | undefined;
  #last: OutputBatch | undefined;
  #wake = () => {};

  constructor(
    readonly output: Output,
    readonly options: LaneOptions,
  ) {
    this.#news = new DeliveryNews(output.name, options.onMessage, options.clock);
    this.#running = this.#run();
    // Whoever finishes is told as well, but that may be days later.
    this.#running.catch((error: unknown) =>
      options.onMessage(`${output.name}: nothing more is sent: ${String(error)}`),
    );
  }

  push(batch: OutputBatch): void {
    const { batch: merged, dropped } = coalesce(this.#pending, batch);
    this.#pending = merged;
    if (dropped > 0) this.#news.dropped(dropped);
    this.#wake();
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
      await this.output.close();
    }
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
    return this.#last === undefined || !this.#news.isWaiting ? undefined : { ...this.#last, changes: [], requests: [] };
  }

  async #deliver(batch: OutputBatch, withinMs: number, signal: AbortSignal): Promise<void> {
    const late = new AbortController();
    const done = new AbortController();
    const timer = this.options.clock.sleep(withinMs, done.signal).then(() => late.abort());
    this.#pending = undefined;
    this.#last = batch;
    try {
      const report = await this.output.deliver(batch, AbortSignal.any([late.signal, signal]));
      // What came meanwhile is later than what was not taken.
      if (report.postponed === true)
        this.#pending = coalesce(batch, this.#pending ?? { ...batch, changes: [], requests: [] }).batch;
      this.#news.take(report);
      this.options.onReport?.(this.output.name, report);
    } finally {
      done.abort();
      await timer;
    }
  }
}

const NEVER = new AbortController().signal;
