/** The output that sends metrics over OTLP: the state as it is, at each batch and from time to time. */
import { backoffMs } from '../delivery/backoff.js';
import { type Clock, systemClock } from '../delivery/clock.js';
import { encodeMetrics } from '../otlp/encode.js';
import { Poster, type PostResult } from '../otlp/post.js';
import { safeText } from '../otlp/safe-text.js';
import type { SignalSettings } from '../otlp/settings.js';
import { loadTls } from '../otlp/tls.js';
import { type DeliveryReport, NOTHING_DELIVERED, type Output, type OutputBatch } from '../output.js';
import type { Metrics } from './metrics.js';

export interface OtlpMetricsOptions {
  /** Sent again after so many milliseconds, batch or not; null in a single run. */
  readonly intervalMs: number | null;
  readonly clock: Clock;
}

/**
 * Whoever has batches updates the metrics before. A state that could not be sent is not kept, turned down or not: the
 * next one says more. Only the last one of a run that ends is lost, and that is reported. Throws OtlpSettingsError when a certificate cannot be used.
 */
export function createOtlpMetricsOutput(
  metrics: Metrics,
  settings: SignalSettings,
  { intervalMs = null, clock = systemClock }: Partial<OtlpMetricsOptions> = {},
): Output {
  return new OtlpMetricsOutput(metrics, settings, { intervalMs, clock });
}

/** Many collectors take traces alone. */
const ADVICE = 'OTEL_METRICS_EXPORTER=none sends no metrics';
const BACKOFF = { firstMs: 500, maxMs: 10_000 };
const MAX_WORDS = 200;

class OtlpMetricsOutput implements Output {
  readonly name: string;
  readonly spools = false;
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

  async deliver(_batch: OutputBatch, signal: AbortSignal = NEVER): Promise<DeliveryReport> {
    await this.open();
    const until = AbortSignal.any([signal, this.#closing.signal]);
    const { clock, intervalMs } = this.options;
    let result = await this.#send(until);
    // After a single run comes no other state.
    for (let failures = 1; intervalMs === null && result.outcome === 'retry'; failures++) {
      await clock.sleep(backoffMs(BACKOFF, failures, clock.random, result.afterMs), until);
      if (until.aborted) break;
      const next = await this.#send(until);
      if (until.aborted && next.outcome === 'retry') break;
      result = next;
    }
    return reportOf(result);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#repeating;
    this.#poster.close();
  }

  #send(signal: AbortSignal): Promise<PostResult> {
    const payload = encodeMetrics(this.metrics.collect(this.options.clock.now()), this.settings.protocol);
    return this.#poster.post(payload, signal);
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

const NEVER = new AbortController().signal;

function reportOf(result: PostResult): DeliveryReport {
  const waits = (reason: string) => ({ ...NOTHING_DELIVERED, waiting: [{ count: 1, reason, where: null }] });
  if (result.outcome === 'retry') return waits(result.reason);
  if (result.outcome === 'refused') return waits(`${result.reason}; ${ADVICE}`);
  const { rejected = 0, message = '' } = result.partial ?? {};
  if (rejected > 0) return waits(`${rejected} values turned down: ${safeText(message, MAX_WORDS)}`);
  return { ...NOTHING_DELIVERED, delivered: 1, answer: result.answer };
}
