/** How often metrics go over OTLP while a run goes on: OTEL_METRIC_EXPORT_INTERVAL. */
import { OtlpSettingsError } from './settings.js';

const INTERVAL_MS = 15_000;

/** In milliseconds. Throws OtlpSettingsError. */
export function metricsIntervalMs(env: Readonly<Record<string, string | undefined>>): number {
  const interval = env.OTEL_METRIC_EXPORT_INTERVAL?.trim() ?? '';
  if (interval === '') return INTERVAL_MS;
  const intervalMs = Number(interval);
  if (Number.isInteger(intervalMs) && intervalMs > 0) return intervalMs;
  throw new OtlpSettingsError('OTEL_METRIC_EXPORT_INTERVAL must be a whole number of milliseconds above 0');
}
