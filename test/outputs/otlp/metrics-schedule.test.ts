import { expect, test } from '@jest/globals';
import { metricsIntervalMs, OtlpSettingsError } from '../../../src/outputs/otlp/index.js';

test('metrics are sent every 15 seconds, or as often as the variable says', () => {
  expect([metricsIntervalMs({}), metricsIntervalMs({ OTEL_METRIC_EXPORT_INTERVAL: '' })]).toEqual([15_000, 15_000]);
  expect(metricsIntervalMs({ OTEL_METRIC_EXPORT_INTERVAL: '60000' })).toBe(60_000);
});

test.each(['soon', '0', '-5', '1.5'])('an interval of %s is a mistake', (interval) => {
  expect(() => metricsIntervalMs({ OTEL_METRIC_EXPORT_INTERVAL: interval })).toThrow(OtlpSettingsError);
});
