/** Whether and how often metrics go over OTLP: OTEL_METRICS_EXPORTER, OTEL_METRIC_EXPORT_INTERVAL, and the endpoints. */
import { hasOtlpEndpoint, OtlpSettingsError } from './settings.js';

const INTERVAL_MS = 15_000;

/** Null: none are sent. `endpoint`: of all signals, from a flag or the configuration. Throws OtlpSettingsError. */
export function metricsSchedule(
  endpoint: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): { readonly intervalMs: number } | null {
  const read = (name: string) => env[name]?.trim() ?? '';
  const exporters = read('OTEL_METRICS_EXPORTER').toLowerCase();
  if (exporters !== '' && !exporters.split(',').some((name) => name.trim() === 'otlp')) return null;
  // Endpoints of other signals alone: nobody said that metrics are taken anywhere.
  const named = endpoint ?? (read('OTEL_EXPORTER_OTLP_ENDPOINT') || read('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'));
  if (named === '' && hasOtlpEndpoint(env)) return null;
  const interval = read('OTEL_METRIC_EXPORT_INTERVAL');
  if (interval === '') return { intervalMs: INTERVAL_MS };
  const intervalMs = Number(interval);
  if (Number.isInteger(intervalMs) && intervalMs > 0) return { intervalMs };
  throw new OtlpSettingsError('OTEL_METRIC_EXPORT_INTERVAL must be a whole number of milliseconds above 0');
}
