/** The output that sends metrics over OTLP: the state as it is, at each batch and from time to time. */
import { type Clock, systemClock } from '../delivery/clock.js';
import { encodeMetrics } from '../otlp/encode.js';
import { Poster } from '../otlp/post.js';
import type { SignalSettings } from '../otlp/settings.js';
import { loadTls } from '../otlp/tls.js';
import type { DeliveryReport, Output, OutputBatch } from '../output.js';
import type { Metrics } from './metrics.js';

export interface OtlpMetricsOptions {
  /** Sent again after so many milliseconds, batch or not; null in a single run. */
  readonly intervalMs: number | null;
  readonly clock: Clock;
}

/**
 * A state that could not be sent is not kept: the next one says more. Only the last one of a run that ends is lost, and
 * that is reported. Throws OtlpSettingsError when a certificate cannot be used.
 */
export function createOtlpMetricsOutput(
  metrics: Metrics,
  settings: SignalSettings,
  { intervalMs = null, clock = systemClock }: Partial<OtlpMetricsOptions> = {},
): Output {
  return new OtlpMetricsOutput(metrics, settings, { intervalMs, clock });
}

class OtlpMetricsOutput implements Output {
  readonly name: string;
  readonly #poster: Poster;
  readonly #closing = new AbortController();
  #repeating: Promise<void> | undefined;

  constructor(
    readonly metrics: Metrics,
    readonly settings: SignalSettings,
    readonly options: OtlpMetricsOptions,
  ) {
    this.name = `otlp metrics ${settings.url.host}`;
    this.#poster = new Poster(settings, loadTls(settings));
  }

  async open(): Promise<void> {
    const { intervalMs } = this.options;
    if (intervalMs !== null) this.#repeating ??= this.#repeat(intervalMs);
  }

  async deliver(batch: OutputBatch, signal?: AbortSignal): Promise<DeliveryReport> {
    await this.open();
    this.metrics.update(batch);
    return this.#send(signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#repeating;
    this.#poster.close();
  }

  async #send(signal: AbortSignal): Promise<DeliveryReport> {
    const payload = encodeMetrics(this.metrics.collect(this.options.clock.now()), this.settings.protocol);
    const result = await this.#poster.post(payload, signal);
    const none = { delivered: 0, known: 0, waiting: [], refused: [] };
    if (result.outcome === 'retry') return { ...none, waiting: [{ count: 1, reason: result.reason, where: null }] };
    if (result.outcome === 'refused') return { ...none, refused: [{ count: 1, reason: result.reason, where: null }] };
    const { rejected = 0, message = '' } = result.partial ?? {};
    if (rejected > 0)
      return { ...none, refused: [{ count: 1, reason: `${rejected} values: ${message}`, where: null }] };
    return { ...none, delivered: 1, answer: result.answer };
  }

  async #repeat(intervalMs: number): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.options.clock.sleep(intervalMs, signal);
      // What this attempt meets, the next report tells.
      if (!signal.aborted) await this.#send(signal);
    }
  }
}
