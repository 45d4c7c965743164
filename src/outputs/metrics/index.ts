/** The program's metrics, to be scraped by Prometheus or sent over OTLP. */
export { Metrics, type MetricsOptions } from './metrics.js';
export { createOtlpMetricsOutput, type OtlpMetricsOptions } from './otlp-metrics-output.js';
export { prometheusHandler, prometheusText } from './prometheus.js';
export { resourceOf } from './resource.js';
