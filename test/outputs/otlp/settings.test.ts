/** The standard variables, the options that win over them, and what is said of wrong ones. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isOtlpInEnvironment, OtlpSettingsError, otlpSettings } from '../../../src/outputs/otlp/index.js';
import { loadTls } from '../../../src/outputs/otlp/tls.js';

const url = (env: Record<string, string>, endpoint?: string) =>
  otlpSettings(endpoint === undefined ? {} : { endpoint }, env).traces?.url.href;

describe('the endpoint', () => {
  test('is the local collector without any setting', () => {
    expect(url({})).toBe('http://localhost:4318/v1/traces');
  });

  test('of all signals gets the path of the signal', () => {
    expect(url({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c:1/base/' })).toBe('https://c:1/base/v1/traces');
  });

  test('of one signal is taken as it stands', () => {
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:1/x', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other' };
    expect(url(env)).toBe('http://c:1/x');
    expect(otlpSettings({}, env).logs?.url.href).toBe('http://other/v1/logs');
  });

  test('given as an option wins', () => {
    expect(url({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:1/x' }, 'http://mine:4318')).toBe(
      'http://mine:4318/v1/traces',
    );
  });

  test('switches OTLP on', () => {
    expect(isOtlpInEnvironment({})).toBe(false);
    expect(isOtlpInEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBe(false);
    expect(isOtlpInEnvironment({ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://c' })).toBe(true);
    expect(isOtlpInEnvironment({ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://c', OTEL_SDK_DISABLED: 'true' })).toBe(
      false,
    );
  });
});

describe('the variables', () => {
  test('set everything else, by signal first', () => {
    const { traces, logs } = otlpSettings(
      {},
      {
        OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20abc,x=1',
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x=2',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'none',
        OTEL_EXPORTER_OTLP_CERTIFICATE: '/ca.pem',
      },
    );
    expect(traces).toMatchObject({
      headers: { authorization: 'Bearer abc', x: '2' },
      protocol: 'http/json',
      timeoutMs: 2500,
      compression: 'none',
      caFile: '/ca.pem',
    });
    expect(logs).toMatchObject({ headers: { x: '1' }, compression: 'gzip' });
  });

  test('give way to options', () => {
    const env = { OTEL_EXPORTER_OTLP_HEADERS: 'x=1,y=1', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
    const { traces } = otlpSettings({ headers: { X: '2' }, protocol: 'http/protobuf', timeoutMs: 1 }, env);
    expect(traces).toMatchObject({ headers: { x: '2', y: '1' }, protocol: 'http/protobuf', timeoutMs: 1 });
  });
});

describe('the sampler', () => {
  test.each([
    [{}, 1],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, 0],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_on' }, 1],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }, 0.25],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' }, 1],
  ])('%j keeps %d', (env: Record<string, string>, ratio) => {
    expect(otlpSettings({}, env).telemetry.ratio).toBe(ratio);
  });

  test('gives way to the option', () => {
    expect(otlpSettings({ ratio: 0.5 }, { OTEL_TRACES_SAMPLER: 'always_off' }).telemetry.ratio).toBe(0.5);
  });
});

describe('a signal', () => {
  const on = (env: Record<string, string>, wishes = {}) => {
    const { traces, logs, metrics } = otlpSettings(wishes, env);
    return { traces, logs, metrics };
  };
  const sent = (env: Record<string, string>, wishes = {}) =>
    Object.entries(on(env, wishes)).flatMap(([signal, settings]) => (settings === undefined ? [] : [signal]));
  const ALL = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

  test.each<[string, Record<string, string>, object, string[]]>([
    ['is sent to an endpoint of all', ALL, {}, ['traces', 'logs', 'metrics']],
    ['is sent to the local collector where nothing is named', {}, {}, ['traces', 'logs', 'metrics']],
    [
      'is not sent when another one alone has an endpoint',
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t' },
      {},
      ['traces'],
    ],
    [
      'is sent all the same to the endpoint of a flag',
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t' },
      { endpoint: 'http://c' },
      ['traces', 'logs', 'metrics'],
    ],
    ['is not sent when its exporter is none', { ...ALL, OTEL_LOGS_EXPORTER: 'none' }, {}, ['traces', 'metrics']],
    ['goes to people instead', { ...ALL, OTEL_TRACES_EXPORTER: 'console' }, {}, ['logs', 'metrics']],
    ['goes to both', { ...ALL, OTEL_TRACES_EXPORTER: 'console, OTLP' }, {}, ['traces', 'logs', 'metrics']],
    ['is scraped instead', { ...ALL, OTEL_METRICS_EXPORTER: 'prometheus' }, {}, ['traces', 'logs']],
    [
      'is sent in spite of an exporter nobody knows',
      { ...ALL, OTEL_LOGS_EXPORTER: 'zipkin' },
      {},
      ['traces', 'logs', 'metrics'],
    ],
    [
      'is sent when the file says so',
      { ...ALL, OTEL_LOGS_EXPORTER: 'none' },
      { logs: true },
      ['traces', 'logs', 'metrics'],
    ],
    [
      'is not sent when the file says so',
      { ...ALL, OTEL_LOGS_EXPORTER: 'otlp' },
      { logs: false },
      ['traces', 'metrics'],
    ],
    ['is not sent when all is disabled', { ...ALL, OTEL_SDK_DISABLED: 'TRUE' }, { traces: true }, []],
  ])('%s', (_case, env, wishes, signals) => {
    expect(sent(env, wishes)).toEqual(signals);
  });

  test('that is not sent has no settings that could be wrong', () => {
    const env = { ...ALL, OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'grpc' };
    expect(() => sent(env)).toThrow('OTEL_EXPORTER_OTLP_METRICS_PROTOCOL is grpc');
    expect(sent({ ...env, OTEL_METRICS_EXPORTER: 'none' })).toEqual(['traces', 'logs']);
  });

  test('is asked for by name only', () => {
    const asked = (env: Record<string, string>, wishes = {}) => otlpSettings(wishes, env).choices.metrics.asked;
    expect([asked(ALL), asked({}, { endpoint: 'http://c' }), asked({ ...ALL, OTEL_METRICS_EXPORTER: 'none' })]).toEqual(
      [false, false, false],
    );
    expect([
      asked(ALL, { metrics: true }),
      asked({ ...ALL, OTEL_METRICS_EXPORTER: 'otlp' }),
      asked({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://m' }),
    ]).toEqual([true, true, true]);
  });

  test('to people switches OTLP on as well', () => {
    expect(isOtlpInEnvironment({ OTEL_TRACES_EXPORTER: 'otlp,console' })).toBe(true);
    expect(isOtlpInEnvironment({ OTEL_METRICS_EXPORTER: 'console', OTEL_LOGS_EXPORTER: 'otlp' })).toBe(false);
  });
});

describe('a wrong setting is refused by name and without its value', () => {
  test.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'c:4318' }, /^OTEL_EXPORTER_OTLP_ENDPOINT is no http or https URL/],
    [{ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'grpc://c' }, /^OTEL_EXPORTER_OTLP_LOGS_ENDPOINT is no http/],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      /PROTOCOL is grpc, which is not spoken here: set it to http\/protobuf and give the port .* 4318/,
    ],
    [{ OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '10s' }, /^OTEL_EXPORTER_OTLP_TRACES_TIMEOUT must be a whole number/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 's3cret' }, /^OTEL_EXPORTER_OTLP_HEADERS is no list(?!.*s3cret)/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=s3cret%0d%0ab:c' }, /^OTEL_EXPORTER_OTLP_HEADERS is no list(?!.*s3cret)/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=%zz' }, /^OTEL_EXPORTER_OTLP_HEADERS is no list/],
    [{ OTEL_EXPORTER_OTLP_CLIENT_KEY: '/key' }, /certificate needs its key/],
    [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /^OTEL_TRACES_SAMPLER is not supported/],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 'x' }, /^OTEL_TRACES_SAMPLER_ARG must be/],
  ])('%j', (env: Record<string, string>, message) => {
    expect(() => otlpSettings({}, env)).toThrow(OtlpSettingsError);
    expect(() => otlpSettings({}, env)).toThrow(message);
  });

  test('so is a file that holds something else', () => {
    const folder = mkdtempSync(join(tmpdir(), 'skewscope-tls-'));
    const path = join(folder, 'key.pem');
    writeFileSync(path, 's3cret');
    const files = { caFile: undefined, certFile: undefined, keyFile: path };
    expect(() => loadTls(files)).toThrow(/key\.pem does not hold a private key(?!.*s3cret)/);
    expect(() => loadTls({ ...files, keyFile: join(folder, 'none') })).toThrow(/^OTLP: .*none: /);
    rmSync(folder, { recursive: true });
  });
});
