/** The output that sends metrics over OTLP: the state as it is, at each batch and from time to time. */
import { plural } from '../../report/text/page.js';
import { NO_ANSWER_YET } from '../delivery/attempt.js';
import { backoffMs } from '../delivery/backoff.js';
import { type Clock, systemClock } from '../delivery/clock.js';
import type { SendResult } from '../delivery/sink.js';
import { encodeMetrics } from '../otlp/encode.js';
import { Poster } from '../otlp/post.js';
import { safeText } from '../otlp/safe-text.js';
import type { SignalSettings } from '../otlp/settings.js';
import { loadTls } from '../otlp/tls.js';
import { type DeliveryReport, NOTHING_DELIVERED, type Output, type OutputBatch } from '../output.js';
import type { Metrics } from './metrics.js';

export interface OtlpMetricsOptions {
  /** Sent again after so many milliseconds, batch or not; null in a single run. */
  readonly intervalMs: number | null;
  readonly clock: Clock;
  /** Somebody wants these metrics there; else a receiver without a place for them is told once and left alone. */
  readonly asked: boolean;
  readonly onMessage: (message: string) => void;
}

/**
 * Whoever has batches updates the metrics before. A state that could not be sent is not kept, turned down or not: the
 * next one says more. Only the last one of a run that ends is lost, and that is reported. Throws OtlpSettingsError when a certificate cannot be used.
 */
export function createOtlpMetricsOutput(
  metrics: Metrics,
  settings: SignalSettings,
  { intervalMs = null, clock = systemClock, asked = true, onMessage = () => {} }: Partial<OtlpMetricsOptions> = {},
): Output {
  return new OtlpMetricsOutput(metrics, settings, { intervalMs, clock, asked, onMessage });
}

const BACKOFF = { firstMs: 500, maxMs: 10_000 };
const MAX_WORDS = 200;

class OtlpMetricsOutput implements Output {
  readonly name: string;
  readonly spools = false;
  readonly replaces = true;
  readonly #poster: Poster;
  readonly #closing = new AbortController();
  #repeating: Promise<void> | undefined;
  /** The receiver has no place for metrics, and nobody asked for them. */
  #unwanted = false;

  constructor(
    readonly metrics: Metrics,
    readonly settings: SignalSettings,
    readonly options: OtlpMetricsOptions,
  ) {
    this.name = `otlp metrics ${settings.url.host}`;
    this.#poster = new Poster(settings, loadTls(settings), settings.url.host);
  }

  async open(): Promise<void> {
    const { intervalMs } = this.options;
    if (intervalMs !== null) this.#repeating ??= this.#repeat(intervalMs);
  }

  async deliver(_batch: OutputBatch, signal: AbortSignal = NEVER): Promise<DeliveryReport> {
    await this.open();
    if (this.#unwanted) return NOTHING_DELIVERED;
    const until = AbortSignal.any([signal, this.#closing.signal]);
    const { clock, intervalMs } = this.options;
    const begunMs = clock.now();
    let result = await this.#send(until);
    // After a single run comes no other state.
    for (let failures = 1; intervalMs === null && result.outcome === 'retry'; failures++) {
      await clock.sleep(backoffMs(BACKOFF, failures, clock.random, result.afterMs), until);
      if (until.aborted) break;
      const next = await this.#send(until);
      if (until.aborted && next.outcome === 'retry') break;
      result = next;
    }
    return this.#unwanted ? NOTHING_DELIVERED : reportOf(result, clock.now() - begunMs);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#repeating;
    this.#poster.close();
  }

  async #send(signal: AbortSignal): Promise<SendResult> {
    const payload = encodeMetrics(this.metrics.collect(this.options.clock.now()), this.settings.protocol);
    const result = await this.#poster.post(payload, signal);
    if (result.outcome === 'refused' && result.absent && !this.options.asked && !this.#unwanted) {
      this.#unwanted = true;
      this.options.onMessage(`${this.name}: no metrics are sent: ${result.reason}`);
    }
    return result;
  }

  async #repeat(intervalMs: number): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted && !this.#unwanted) {
      await this.options.clock.sleep(intervalMs, signal);
      // What this attempt meets, the next report tells.
      if (!signal.aborted) await this.#send(signal);
    }
  }
}

const NEVER = new AbortController().signal;

function reportOf(result: SendResult, triedMs: number): DeliveryReport {
  const waits = (reason: string) => {
    const entry = { count: 1, reason, where: null, triedMs };
    return { ...NOTHING_DELIVERED, waiting: [reason === NO_ANSWER_YET ? entry : { ...entry, failed: true as const }] };
  };
  if (result.outcome !== 'delivered') return waits(result.reason);
  const { rejected = 0, message = '' } = result.partial ?? {};
  if (rejected > 0) return waits(`${plural(rejected, 'value')} turned down: ${safeText(message, MAX_WORDS)}`);
  return { ...NOTHING_DELIVERED, delivered: 1, answer: result.answer };
}
