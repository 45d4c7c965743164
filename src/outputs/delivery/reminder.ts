/** Tells a receiver again what is still open, for as long as it is. */
import type { Finding } from '../../model/finding.js';
import type { Undelivered } from '../output.js';
import { attempt, reasonText } from './attempt.js';
import { boundFinding } from './bound.js';
import type { Clock } from './clock.js';
import type { Ledger } from './ledger.js';
import { type PlanOptions, reminders } from './plan.js';
import type { Sink } from './sink.js';

interface Options extends PlanOptions {
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly onMessage: (message: string) => void;
}

export class Reminder {
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #open: readonly Finding[] = [];
  #failure = '';

  constructor(
    readonly sink: Sink,
    readonly everyMs: number,
    readonly ledger: Ledger,
    readonly options: Options,
  ) {}

  /** All findings that are open now. */
  hold(findings: readonly Finding[]): void {
    this.#open = findings.map(boundFinding);
  }

  /** What the receiver was not told again at the last attempt; nothing once one was a success. */
  get failing(): readonly Undelivered[] {
    if (this.#failure === '') return [];
    return [{ count: this.#open.length, reason: failureText(this.#failure), where: null, failed: true }];
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Sends all once; gives the reason of the first failure, '' when there is none. */
  async remind(signal: AbortSignal): Promise<string> {
    const { sink, options, ledger } = this;
    const notices = reminders(this.#open, ledger, options, options.clock.now());
    for (let at = 0; at < notices.length; at += sink.batch) {
      const batch = notices.slice(at, at + sink.batch);
      const result = await attempt(sink, batch, options.timeoutMs, options.clock, signal);
      if (result.outcome !== 'delivered') return result.reason;
    }
    return '';
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { clock, onMessage } = this.options;
    for (;;) {
      // From three quarters to five quarters: several senders drift apart.
      await clock.sleep(this.everyMs * (0.75 + clock.random() / 2), signal);
      if (signal.aborted) return;
      const failure = await this.remind(signal);
      if (failure !== '' && failure !== this.#failure && !signal.aborted) {
        onMessage(`${this.sink.name}: ${failureText(failure)}`);
      }
      this.#failure = failure;
    }
  }
}

function failureText(failure: string): string {
  return `open findings cannot be sent again: ${reasonText(failure)}`;
}
