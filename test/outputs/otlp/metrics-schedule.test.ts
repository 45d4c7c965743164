import { describe, expect, test } from '@jest/globals';
import { metricsSchedule, OtlpSettingsError } from '../../../src/outputs/otlp/index.js';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('metrics are sent', () => {
  test.each([
    ['to an endpoint of all signals', ENDPOINT, undefined, 15_000],
    ['to one of their own', { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://m:4318/v1/metrics' }, undefined, 15_000],
    ['to that of a flag', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t' }, 'http://collector:4318', 15_000],
    ['where nothing is named', {}, undefined, 15_000],
    ['as often as the variable says', { ...ENDPOINT, OTEL_METRIC_EXPORT_INTERVAL: '60000' }, undefined, 60_000],
    [
      'when otlp is one of several exporters',
      { ...ENDPOINT, OTEL_METRICS_EXPORTER: 'console, OTLP' },
      undefined,
      15_000,
    ],
    ['when a variable is empty', { ...ENDPOINT, OTEL_METRICS_EXPORTER: '' }, undefined, 15_000],
  ])('%s', (_name, env, endpoint, intervalMs) => {
    expect(metricsSchedule(endpoint, env)).toEqual({ intervalMs });
  });
});

describe('metrics are not sent', () => {
  test.each([
    ['when the variable says so', { ...ENDPOINT, OTEL_METRICS_EXPORTER: 'none' }],
    ['when they go elsewhere', { ...ENDPOINT, OTEL_METRICS_EXPORTER: 'prometheus' }],
    ['when another signal alone has an endpoint', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t:4318/v1/traces' }],
  ])('%s', (_name, env) => {
    expect(metricsSchedule(undefined, env)).toBeNull();
  });
});

test.each(['soon', '0', '-5', '1.5'])('an interval of %s is a mistake', (interval) => {
  expect(() => metricsSchedule(undefined, { OTEL_METRIC_EXPORT_INTERVAL: interval })).toThrow(OtlpSettingsError);
});
