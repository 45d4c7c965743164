/** The metrics of a run: set from what holds now, counted once, bounded. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { Metrics, prometheusHandler, prometheusText, resourceOf } from '../../../src/outputs/metrics/index.js';
import { createOtlpMetricsOutput } from '../../../src/outputs/metrics/otlp-metrics-output.js';
import { otlpSettings } from '../../../src/outputs/otlp/index.js';
import { analysis, batch, failedRequest, finding, request, server, T0 } from '../otlp/examples.js';
import { status, takes, withReceiver } from '../otlp/receiver.js';

const NOW_MS = T0 / 1000 + 90_000;
const ANALYSIS = analysis({
  inputs: [
    { name: 'cp1.log', kind: 'file', bytes: 100, records: 7, server: 'cp1', problems: { 'cut-line': 2, late: 1 } },
  ],
  servers: [
    server('cp1'),
    server('cp2', { versions: [{ version: 'v1.35.4', from: T0, to: T0 + 9 }], peerProxy: 'inactive' }),
  ],
  proxied: {
    total: 5,
    failed: 2,
    routes: [
      { source: 'cp1', destination: 'cp2', verb: 'get', resource: 'jobs.batch/v1', code: 200, count: 3, hopMs: null },
      { source: 'cp1', destination: 'cp2', verb: 'list', resource: 'jobs.batch/v1', code: 200, count: 2, hopMs: null },
    ],
  },
  discovery: [
    { source: 'cp1', destination: 'cp2', state: 'ok', fetches: 1, failures: 0, lastAt: T0, cause: null },
    { source: 'cp2', destination: 'cp1', state: 'failing', fetches: 0, failures: 4, lastAt: T0, cause: 'refused' },
  ],
  notFound: [
    { server: 'cp1', resource: 'jobs.batch/v1', kind: 'wrong', count: 4, clients: [] },
    { server: 'cp1', resource: 'pods/v1', kind: 'object', count: 9, clients: [] },
  ],
});
const BATCH = batch({ analysis: ANALYSIS, findings: [finding()], requests: [request(), failedRequest()] });

function textOf(metrics: Metrics): string[] {
  return prometheusText(metrics.collect(NOW_MS))
    .split('\n')
    .filter((line) => !line.startsWith('#') && line !== '')
    .sort();
}

describe('the metrics', () => {
  const metrics = new Metrics({ startMs: 0 });
  metrics.update(BATCH);

  test('say what the analysis says', () => {
    expect(textOf(metrics)).toEqual(
      expect.arrayContaining([
        'skewscope_records_read_total{input="cp1.log"} 7',
        'skewscope_bytes_read_total{input="cp1.log"} 100',
        'skewscope_records_skipped_total{input="cp1.log",reason="cut-line"} 2',
        'skewscope_lag_seconds 30',
        `skewscope_last_record_timestamp_seconds ${T0 / 1e6 + 60}`,
        'skewscope_proxied_requests_total{cluster="default",source="cp1",destination="cp2",code="200"} 5',
        'skewscope_proxied_unreached_total 2',
        'skewscope_proxied_failures_total{cluster="default",source="cp1",destination="none",cause="unknown-authority"} 1',
        'skewscope_wrong_not_found_total{cluster="default",server="cp1",resource="jobs.batch/v1"} 4',
        'skewscope_findings_open{cluster="default",rule="peer-ca-untrusted",severity="critical"} 1',
        'skewscope_findings_open{cluster="default",rule="peer-ca-untrusted",severity="info"} 0',
        'skewscope_discovery_edges{cluster="default",state="ok"} 1',
        'skewscope_discovery_edges{cluster="default",state="failing"} 1',
        'skewscope_discovery_edges{cluster="default",state="missing"} 0',
        'skewscope_discovery_edge{cluster="default",source="cp2",destination="cp1",state="failing"} 1',
        'skewscope_server_info{cluster="default",server="cp2",version="v1.35.4",peer_proxy="inactive"} 1',
        'skewscope_cluster_versions{cluster="default"} 2',
        'skewscope_hop_seconds_count{cluster="default",source="cp1",destination="cp2"} 1',
        'skewscope_hop_seconds_sum{cluster="default",source="cp1",destination="cp2"} 0.004',
        'skewscope_hop_seconds_bucket{cluster="default",source="cp1",destination="cp2",le="0.0025"} 0',
        'skewscope_hop_seconds_bucket{cluster="default",source="cp1",destination="cp2",le="0.005"} 1',
        'skewscope_hop_seconds_bucket{cluster="default",source="cp1",destination="cp2",le="+Inf"} 1',
      ]),
    );
  });

  test('name the cluster of each row, though servers of two have the same names', () => {
    const both = new Metrics({ startMs: 0 });
    const { analysis } = BATCH;
    const inBoth = <T>(rows: readonly T[]) =>
      ['blue', 'green'].flatMap((cluster) => rows.map((row) => ({ ...row, cluster })));
    both.update({
      ...BATCH,
      analysis: {
        ...analysis,
        clusters: ['blue', 'green'],
        servers: inBoth(analysis.servers),
        proxied: { ...analysis.proxied, routes: inBoth(analysis.proxied.routes) },
        discovery: inBoth(analysis.discovery),
        notFound: inBoth(analysis.notFound),
      },
    });
    expect(textOf(both)).toEqual(
      expect.arrayContaining(
        ['blue', 'green'].flatMap((cluster) => [
          `skewscope_proxied_requests_total{cluster="${cluster}",source="cp1",destination="cp2",code="200"} 5`,
          `skewscope_wrong_not_found_total{cluster="${cluster}",server="cp1",resource="jobs.batch/v1"} 4`,
          `skewscope_discovery_edge{cluster="${cluster}",source="cp2",destination="cp1",state="failing"} 1`,
        ]),
      ),
    );
  });

  test('do not count a second time what comes again', () => {
    const before = textOf(metrics);
    metrics.update(BATCH);
    expect(textOf(metrics)).toEqual(before);
  });

  test('forget what is no more', () => {
    const gone = new Metrics({ startMs: 0 });
    gone.update(BATCH);
    gone.update(batch());
    expect(textOf(gone).filter((line) => /findings_open|discovery_edge\{/.test(line))).toEqual([]);
  });

  test('know before the first batch how the outputs fare', () => {
    const young = new Metrics({ startMs: 0 });
    young.delivered('otlp', { delivered: 3, known: 0, waiting: [{ count: 2, reason: 'x', where: null }], refused: [] });
    young.delivered('otlp', { delivered: 1, known: 0, waiting: [], refused: [{ count: 5, reason: 'y', where: null }] });
    expect(textOf(young)).toEqual(
      expect.arrayContaining([
        'skewscope_messages_delivered_total{output="otlp"} 4',
        'skewscope_messages_refused_total{output="otlp"} 5',
        'skewscope_messages_waiting{output="otlp"} 0',
      ]),
    );
  });
});

describe('label sets', () => {
  const inputs = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      name: `input-${n}`,
      kind: 'file',
      bytes: 1,
      records: 1,
      server: null,
      problems: {},
    }));

  test('beyond the limit are counted together, those within it stay', () => {
    const metrics = new Metrics({ startMs: 0, maxSeries: 3 });
    metrics.update(batch({ analysis: analysis({ inputs: inputs(3) }) }));
    expect(textOf(metrics)).not.toContain('skewscope_records_read_total{input="other"}');
    metrics.update(batch({ analysis: analysis({ inputs: [...inputs(10)].reverse() }) }));
    const read = textOf(metrics).filter((line) => line.startsWith('skewscope_records_read_total'));
    expect(read).toEqual([
      'skewscope_records_read_total{input="input-0"} 1',
      'skewscope_records_read_total{input="input-1"} 1',
      'skewscope_records_read_total{input="input-2"} 1',
      'skewscope_records_read_total{input="other"} 7',
    ]);
    expect(textOf(metrics)).toContain('skewscope_series_folded{metric="skewscope_records_read_total"} 7');
  });

  test('cannot break the format', () => {
    const metrics = new Metrics({ startMs: 0 });
    const name = 'a"b\\c\nd\u202e} 1\nfake_total 9';
    metrics.update(batch({ analysis: analysis({ inputs: inputs(1).map((input) => ({ ...input, name })) }) }));
    const lines = textOf(metrics);
    expect(lines.every((line) => line.startsWith('skewscope_'))).toBe(true);
    expect(lines).toContain(
      'skewscope_records_read_total{input="a\\"b\\\\c\\\\u{a}d\\\\u{202e}} 1\\\\u{a}fake_total 9"} 1',
    );
  });
});

test('the handler answers scrapes and nothing else', async () => {
  const metrics = new Metrics({ startMs: 0 });
  metrics.update(BATCH);
  const server = createServer(prometheusHandler(metrics, () => NOW_MS)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/metrics`;
  const [get, head, post] = await Promise.all([
    fetch(url),
    fetch(url, { method: 'HEAD' }),
    fetch(url, { method: 'POST' }),
  ]);
  const text = await get.text();
  server.closeAllConnections();
  server.close();
  expect(get.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(text).toContain('# TYPE skewscope_hop_seconds histogram');
  expect(text).toContain('# TYPE skewscope_records_read_total counter');
  expect([head.status, await head.text(), post.status]).toEqual([200, '', 405]);
});

test('the environment says what the program is as a resource', () => {
  const env = { OTEL_SERVICE_NAME: 'mine', OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=a,service.name=x,team=b' };
  const metrics = new Metrics({ startMs: 0, instance: 'host', resource: resourceOf(env) });
  expect(metrics.collect(0).resource.attributes).toEqual({
    'service.name': 'mine',
    'service.instance.id': 'a',
    team: 'b',
  });
});

describe('the OTLP output', () => {
  test('sends the state with each batch and from time to time', () =>
    withReceiver([takes], async (endpoint, taken) => {
      const settings = metricsTo(endpoint);
      const output = createOtlpMetricsOutput(new Metrics({ startMs: 0 }), settings, { intervalMs: 20 });
      expect(await output.deliver(BATCH)).toMatchObject({ delivered: 1 });
      while (taken.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
      await output.close();
      expect(new Set(taken.map(({ path }) => path))).toEqual(new Set(['/v1/metrics']));
    }));

  test('tells what was not taken, and keeps nothing: the next state says more', () =>
    withReceiver([status(503), status(404), takes], async (endpoint) => {
      const settings = metricsTo(endpoint);
      const output = createOtlpMetricsOutput(new Metrics({ startMs: 0 }), settings, { intervalMs: 60_000 });
      expect((await output.deliver(BATCH)).waiting[0]?.reason).toMatch(/HTTP 503$/);
      const { waiting, refused } = await output.deliver(BATCH);
      expect(waiting[0]?.reason).toMatch(
        /HTTP 404; it has no pipeline for metrics.*OTEL_METRICS_EXPORTER=none leaves them out$/,
      );
      expect(refused).toEqual([]);
      expect(await output.deliver(BATCH)).toMatchObject({ delivered: 1, waiting: [] });
      await output.close();
    }));

  test('of a single run tries again until its time is over', () =>
    withReceiver([status(503), takes], async (endpoint, taken) => {
      const settings = metricsTo(endpoint);
      const output = createOtlpMetricsOutput(new Metrics({ startMs: 0 }), settings);
      expect(await output.deliver(BATCH)).toMatchObject({ delivered: 1, waiting: [] });
      expect(taken).toHaveLength(2);
      await output.close();
    }));

  test('tells why it failed, not that its time is over', () =>
    withReceiver([status(503)], async (endpoint) => {
      const settings = metricsTo(endpoint);
      const output = createOtlpMetricsOutput(new Metrics({ startMs: 0 }), settings);
      const report = await output.deliver(BATCH, AbortSignal.timeout(100));
      expect(report.waiting[0]?.reason).toMatch(/HTTP 503$/);
      await output.close();
    }));
});

function metricsTo(endpoint: string) {
  const { metrics } = otlpSettings({ endpoint }, {});
  if (metrics === undefined) throw new Error('metrics are on by default');
  return metrics;
}
