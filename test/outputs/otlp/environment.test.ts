import { describe, expect, test } from '@jest/globals';
import { type OtelEnvironment, otelEnvironment } from '../../../src/outputs/otlp/environment.js';

describe('the resource', () => {
  test('is a percent-encoded list; the name of the service has a variable of its own, which goes first', () => {
    const list = 'deployment.environment.name=prod%2Ceu , team = a%20b%3D,service.name=other,';
    const { attributes, serviceName, mistakes } = otelEnvironment({ OTEL_RESOURCE_ATTRIBUTES: list });
    expect(attributes).toEqual({ 'deployment.environment.name': 'prod,eu', team: 'a b=' });
    expect([serviceName, mistakes]).toEqual(['other', []]);
    const named = otelEnvironment({ OTEL_RESOURCE_ATTRIBUTES: list, OTEL_SERVICE_NAME: 'mine' });
    expect(named.serviceName).toBe('mine');
  });

  test.each([['a=%zz'], ['novalue'], ['=x'], ['a b=1'], ['ok=1,a\u0000=2']])(
    'with a mistake (%j) is ignored as a whole, told, and not quoted',
    (list) => {
      const { attributes, mistakes } = otelEnvironment({ OTEL_RESOURCE_ATTRIBUTES: `good=1,${list}` });
      expect(attributes).toEqual({});
      expect(mistakes).toEqual([
        'OTEL_RESOURCE_ATTRIBUTES is ignored: it is no list name=value,name=value with percent-encoded values',
      ]);
    },
  );

  test('is bounded in number, length and characters', () => {
    const many = Array.from({ length: 65 }, (_, at) => `a${at}=x`).join(',');
    expect(otelEnvironment({ OTEL_RESOURCE_ATTRIBUTES: many })).toMatchObject({
      attributes: {},
      mistakes: ['OTEL_RESOURCE_ATTRIBUTES is ignored: it has more than 64 attributes'],
    });
    const { attributes } = otelEnvironment({ OTEL_RESOURCE_ATTRIBUTES: `a=${'x'.repeat(1_000)},b=%1b[31m` });
    expect(String(attributes.a).length).toBe(255);
    expect(attributes.b).toBe('\\u{1b}[31m');
  });
});

describe('exporters', () => {
  test.each<[string, Record<string, string>, Partial<OtelEnvironment['exporters']>, number]>([
    ['none is named', {}, { traces: undefined, logs: undefined, metrics: undefined }, 0],
    ['an empty one counts as none named', { OTEL_TRACES_EXPORTER: ' ' }, { traces: undefined }, 0],
    ['several', { OTEL_TRACES_EXPORTER: 'console,otlp' }, { traces: ['otlp', 'console'] }, 0],
    ['an unknown one is told', { OTEL_LOGS_EXPORTER: 'otlp,zipkin' }, { logs: ['otlp'] }, 1],
    ['metrics are not written to people', { OTEL_METRICS_EXPORTER: 'console,none' }, { metrics: ['none'] }, 1],
    ['metrics are scraped', { OTEL_METRICS_EXPORTER: 'prometheus' }, { metrics: ['prometheus'] }, 0],
  ])('%s', (_case, env, exporters, told) => {
    const found = otelEnvironment(env);
    expect(found.exporters).toMatchObject(exporters);
    expect(found.mistakes).toHaveLength(told);
  });

  test('what is told names the variable and what to use', () => {
    expect(otelEnvironment({ OTEL_LOGS_EXPORTER: 'zip\u001bkin' }).mistakes).toEqual([
      'OTEL_LOGS_EXPORTER: zip\\u{1b}kin is not known here and ignored; use otlp, console or none',
    ]);
  });
});

test('limits: those of a signal before the general ones; a mistake is told and ignored', () => {
  const { limits, batch, mistakes } = otelEnvironment({
    OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: '100',
    OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: '50',
    OTEL_LOGRECORD_ATTRIBUTE_COUNT_LIMIT: 'many',
    OTEL_ATTRIBUTE_COUNT_LIMIT: '8',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '64',
    OTEL_BLRP_MAX_EXPORT_BATCH_SIZE: '0',
  });
  expect(limits).toEqual({ traces: { length: 50, count: 8 }, logs: { length: 100, count: 8 } });
  expect(batch).toEqual({ traces: 64, logs: undefined });
  expect(mistakes).toEqual(['OTEL_LOGRECORD_ATTRIBUTE_COUNT_LIMIT is ignored: it must be a whole number']);
});

test.each([
  ['true', true],
  ['TRUE', true],
  ['1', false],
  ['', false],
])('OTEL_SDK_DISABLED=%j', (value, disabled) => {
  expect(otelEnvironment({ OTEL_SDK_DISABLED: value }).disabled).toBe(disabled);
});
