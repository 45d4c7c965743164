import { describe, expect, test } from '@jest/globals';
import { encodeSpans } from '../../../src/outputs/otlp/encode.js';
import { partsOf, TelemetryBuilder } from '../../../src/outputs/otlp/telemetry.js';
import { batch, failedRequest, finding, request } from './examples.js';

const NEWS = batch({ requests: [request(), failedRequest()], changes: [{ kind: 'opened', finding: finding() }] });

describe('what the environment says of resources', () => {
  const attributes = { 'deployment.environment.name': 'prod', 'k8s.pod.name': 'skewscope-0', 'host.name': 'worker' };
  const { spans, records } = new TelemetryBuilder({ ratio: 1, attributes, serviceName: 'mine' }).build(
    batch({ ...NEWS, changes: [{ kind: 'opened', finding: finding({ server: null }) }] }),
  );

  test('holds for apiservers, unless it can only be true of this program', () => {
    for (const { resource } of partsOf(spans)) {
      expect(resource.attributes).toMatchObject({
        'deployment.environment.name': 'prod',
        'service.name': 'kube-apiserver',
      });
      expect(resource.attributes).not.toHaveProperty('k8s.pod.name');
      expect(resource.attributes).not.toHaveProperty('host.name');
    }
  });

  test('names this program where it speaks of the cluster', () => {
    expect(partsOf(records)[0]?.resource.attributes).toMatchObject({
      'deployment.environment.name': 'prod',
      'service.name': 'mine',
    });
  });
});

test('limits cut texts and drop what comes last, and say how much', () => {
  const limit = { length: 5, count: 3 };
  const { spans, records } = new TelemetryBuilder({ ratio: 1, limits: { traces: limit, logs: limit } }).build(NEWS);
  for (const part of [...partsOf(spans), ...partsOf(records)]) {
    const values = Object.values(part.attributes);
    expect(values).toHaveLength(3);
    for (const value of values.filter((one) => typeof one === 'string')) expect(value.length).toBeLessThanOrEqual(5);
    expect(part.droppedAttributesCount).toBeGreaterThan(0);
  }
});

test('a signal that is off is not made', () => {
  const { spans, records } = new TelemetryBuilder({ ratio: 1, signals: { traces: false, logs: true } }).build(NEWS);
  expect([spans.length, records.length]).toEqual([0, 1]);
});

test('messages are no larger than wanted, and the spans of a request stay together', () => {
  const requests = [1, 2, 3, 4].map((at) => request({ auditID: `id-${at}` }));
  const { spans } = new TelemetryBuilder({ ratio: 1 }).build(batch({ requests }));
  expect(encodeSpans(spans, 'http/json', 7).map(({ count, keys }) => [count, keys.length])).toEqual([
    [6, 2],
    [6, 2],
  ]);
  expect(encodeSpans(spans, 'http/json', 1).map(({ count }) => count)).toEqual([3, 3, 3, 3]);
  expect(encodeSpans([], 'http/json')).toEqual([]);
});
