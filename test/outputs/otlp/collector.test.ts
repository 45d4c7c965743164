/** What a real collector takes from the OTLP outputs: the recorded runs, sent twice, read back from its file. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ProxiedRequest } from '../../../src/model/proxied-request.js';
import { createOtlpMetricsOutput, Metrics } from '../../../src/outputs/metrics/index.js';
import { createOtlpOutput, type OtlpOptions, otlpSettings } from '../../../src/outputs/otlp/index.js';
import type { DeliveryReport, OutputBatch } from '../../../src/outputs/output.js';
import { BUILD_TIMEOUT_MS, buildCollector, whyNoCollector } from '../../services/collector/build.js';
import { type Collector, collect } from '../../services/collector/collector.js';
import type { Received, ReceivedSpan } from '../../services/collector/received.js';
import { makeFolder } from '../../sources/folder.js';
import { batch, failedRequest, finding, request, side } from './examples.js';
import { recordedBatch } from './recorded.js';

const reason = whyNoCollector();
if (reason !== undefined) console.warn(`tests with a collector are skipped: ${reason}`);
const FAILED = [failedRequest(), failedRequest({ auditID: 'without a known cause', cause: null })];
const CHANGES = [{ kind: 'opened', finding: finding() }] as const;
const withCollector = reason === undefined ? describe : describe.skip;

withCollector('a collector', () => {
  let healthy: OutputBatch;
  let wrongCA: OutputBatch;

  beforeAll(async () => {
    await buildCollector();
    healthy = await recordedBatch('healthy');
    wrongCA = await recordedBatch('wrong-peer-ca');
  }, BUILD_TIMEOUT_MS);

  describe.each(['http/protobuf', 'http/json'] as const)('over %s', (protocol) => {
    let once: Received;
    let twice: Received;

    beforeAll(async () => {
      once = await exchange({ protocol }, [
        [healthy, batch({ requests: FAILED, analysis: healthy.analysis })],
        [wrongCA],
      ]);
      twice = await exchange({ protocol, compression: 'gzip' }, [[healthy], [healthy]]);
    });

    test('takes one trace for each request that was passed on', () => {
      const traces = byTrace(once.spans);
      expect(healthy.requests.length).toBeGreaterThan(5);
      const expected = new Map(healthy.requests.map((told) => [told.auditID + told.source.receivedUs, told]));
      expect(expected.size).toBe(healthy.requests.length);
      for (const told of healthy.requests.filter(({ ambiguous }) => !ambiguous)) {
        const spans = traces.filter((trace) => isTraceOf(trace, told));
        expect(spans).toHaveLength(1);
        checkTrace(spans[0] ?? [], told);
      }
    });

    test('takes failed hops that end at the client span with their cause', () => {
      for (const told of FAILED) {
        const spans = byTrace(once.spans).find((trace) => isTraceOf(trace, told)) ?? [];
        expect(spans.map(({ kind }) => kind).sort()).toEqual([2, 3]);
        const client = spans.find(({ kind }) => kind === 3);
        expect(client?.status).toBe(2);
        expect(client?.attributes['error.type']).toBe(told.cause ?? '_OTHER');
        expect(client?.attributes).not.toHaveProperty('http.response.status_code');
      }
    });

    test('takes every finding as a log record of its own trace', () => {
      const logs = once.logs.filter(({ event }) => event === 'skewscope.finding');
      const opened = [...healthy.changes, ...wrongCA.changes].map(({ finding }) => finding);
      expect(opened.length).toBeGreaterThan(0);
      expect(logs.map((log) => log.attributes['skewscope.finding.rule']).sort()).toEqual(
        opened.map(({ rule }) => rule).sort(),
      );
      expect(logs.every(({ traceId, spanId }) => traceId.length === 32 && spanId.length === 16)).toBe(true);
      expect(logs.some(({ body }) => body.includes('cp1'))).toBe(true);
    });

    test('takes the states of the discovery matrix', () => {
      const states = once.logs.filter(({ event }) => event === 'skewscope.peer_discovery');
      expect(states).toHaveLength(healthy.analysis.discovery.length + wrongCA.analysis.discovery.length);
      expect(new Set(states.map(({ attributes }) => attributes['skewscope.discovery.state'])).size).toBeGreaterThan(1);
    });

    test('sees nothing new when everything comes again', () => {
      const spanKeys = twice.spans.map((span) => `${span.traceId} ${span.spanId}`);
      expect(spanKeys).toHaveLength(2 * new Set(spanKeys).size);
      const contents = new Set(twice.spans.map((span) => JSON.stringify(span, printable)));
      expect(contents.size).toBe(new Set(spanKeys).size);
      const records = twice.logs.map(({ attributes }) => String(attributes['log.record.uid']));
      expect(records).toHaveLength(2 * new Set(records).size);
    });

    test('gets one resource for each apiserver', () => {
      const ofCp1 = once.spans.filter(({ resource }) => resource['skewscope.server'] === 'cp1');
      expect(ofCp1[0]?.resource).toMatchObject({
        'service.name': 'kube-apiserver',
        'service.version': expect.stringMatching(/^v1\.\d+\.\d+$/),
        'k8s.node.name': 'cp1',
        'k8s.cluster.name': 'default',
      });
      const instances = new Set(once.spans.map(({ resource }) => resource['service.instance.id']));
      const names = new Set(once.spans.map(({ resource }) => resource['skewscope.server']));
      expect(instances.size).toBe(names.size);
    });
  });

  test('has nothing doubled when everything is sent twice with a spool, by two processes', async () => {
    const { path: folder, drop } = makeFolder();
    const { spans, logs } = await exchange({}, [[healthy], [healthy, wrongCA], [wrongCA]], folder);
    drop();
    const keys = spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`);
    expect(keys).toHaveLength(new Set(keys).size);
    expect(keys).toHaveLength(spanCount(healthy) + spanCount(wrongCA));
    const records = logs.map(({ attributes }) => String(attributes['log.record.uid']));
    expect(records).toHaveLength(new Set(records).size);
    expect(logs.filter(({ event }) => event === 'skewscope.finding')).toHaveLength(
      healthy.changes.length + wrongCA.changes.length,
    );
  });

  test('gets the servers as they were at each moment of an upgrade, and the window between', async () => {
    const upgrade = await recordedBatch('upgrade-with-failure');
    const { spans, logs } = await exchange({}, [[upgrade]]);
    expect(spans).toHaveLength(3 * upgrade.requests.length);
    const versions = new Set(spans.map(({ resource }) => resource['service.version']));
    expect(versions).toEqual(new Set(upgrade.analysis.servers.flatMap((each) => each.versions.map((v) => v.version))));
    const [window] = logs.filter(({ event }) => event === 'skewscope.version_window');
    expect(window?.attributes['skewscope.versions']).toEqual([...versions].sort());
    expect(window?.resource).toMatchObject({ 'service.name': 'skewscope', 'k8s.cluster.name': 'default' });
  });

  test('gets an ambiguous join as two traces that link to each other', async () => {
    const told = request({ ambiguous: true });
    const { spans } = await exchange({}, [[batch({ requests: [told] })]]);
    const traces = byTrace(spans);
    expect(traces).toHaveLength(2);
    const client = spans.find(({ kind }) => kind === 3);
    const far = spans.find(({ attributes }) => attributes['skewscope.side'] === 'destination');
    expect(far?.parentSpanId).toBe('');
    expect(far?.traceId).not.toBe(client?.traceId);
    expect(far?.links).toEqual([{ traceId: client?.traceId, spanId: client?.spanId }]);
    expect(client?.links).toEqual([{ traceId: far?.traceId, spanId: far?.spanId }]);
  });

  test('gets hostile text bounded and readable', async () => {
    const userAgent = `evil\u0000\u202e" } Bearer abcdefghijklmnopqrstuvwx ${'x'.repeat(100_000)}\ud800`;
    const { spans } = await exchange({ protocol: 'http/json' }, [[batch({ requests: [request({ userAgent })] })]]);
    const shown = String(spans[0]?.attributes['user_agent.original']);
    expect(shown.length).toBeLessThanOrEqual(256);
    expect(shown).toContain('evil\\u{0}\\u{202e}" } Bearer REDACTED');
  });

  test('gets a request whose clocks disagree with the child inside its parent', async () => {
    const told = request({ destination: side('cp2', 5_002_000, 5_008_000, 201), skewUs: 5_000_000 });
    const { spans } = await exchange({}, [[batch({ requests: [told] })]]);
    checkTrace(spans, told);
    const far = spans.find(({ attributes }) => attributes['skewscope.side'] === 'destination');
    expect(far?.attributes['skewscope.clock.correction_us']).toBe(5_000_000);
  });

  test('takes metrics', async () => {
    const metrics = new Metrics({ startMs: 0 });
    metrics.update(wrongCA);
    const { metrics: received } = await collect(async ({ endpoint }) => {
      const settings = otlpSettings({ endpoint }, {}).metrics;
      if (settings === undefined) throw new Error('metrics are on by default');
      const output = createOtlpMetricsOutput(metrics, settings);
      expect(await output.deliver(wrongCA)).toMatchObject({ delivered: 1, waiting: [], refused: [] });
      await output.close();
    });
    const open = received.find(({ name }) => name === 'skewscope_findings_open');
    expect(open?.kind).toBe('gauge');
    expect(open?.points.reduce((sum, { value }) => sum + value, 0)).toBe(wrongCA.findings.length);
    const wrong = received.find(({ name }) => name === 'skewscope_wrong_not_found_total');
    expect(wrong?.points.some(({ attributes }) => attributes.server === 'cp1')).toBe(true);
  });

  test('with a certificate of its own CA takes a client that has one too, and no other', async () => {
    const use = async ({ endpoint, certs }: Collector) => {
      const { ca = '', cert = '', key = '' } = certs ?? {};
      const files = {
        OTEL_EXPORTER_OTLP_CERTIFICATE: ca,
        OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: cert,
        OTEL_EXPORTER_OTLP_CLIENT_KEY: key,
      };
      const known = await sendOnce({}, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...files });
      expect(known).toMatchObject({ delivered: 3 + CHANGES.length, waiting: [] });
      const nobody = await sendOnce({ endpoint, caFile: ca }, {});
      expect(nobody.waiting[0]?.reason).toMatch(/certificate|closed/);
      const distrusting = await sendOnce({ endpoint }, {});
      expect(distrusting.waiting[0]?.reason).toMatch(/unknown CA|self-signed/);
    };
    expect((await collect(use, { tls: true })).spans).toHaveLength(3);
  });
});

/** Each list of batches goes through an output of its own, one after the other, to one collector. */
function exchange(
  options: OtlpOptions,
  rounds: readonly (readonly OutputBatch[])[],
  folder: string | null = null,
): Promise<Received> {
  return collect(async ({ endpoint }) => {
    for (const batches of rounds) {
      const output = createOtlpOutput(otlpSettings({ endpoint, ...options }, {}), { folder });
      for (const each of batches) {
        expect(await output.deliver(each, AbortSignal.timeout(10_000))).toMatchObject({ waiting: [], refused: [] });
      }
      await output.close();
    }
  });
}

/** Spans of its requests. */
function spanCount({ requests }: OutputBatch): number {
  return requests.reduce((sum, { destination }) => sum + (destination === null ? 2 : 3), 0);
}

/** One attempt: whoever is not taken at once is reported as waiting. */
async function sendOnce(options: OtlpOptions, env: Record<string, string>): Promise<DeliveryReport> {
  const output = createOtlpOutput(otlpSettings(options, env));
  const report = await output.deliver(batch({ requests: [request()], changes: CHANGES }), AbortSignal.timeout(1_500));
  await output.close();
  return report;
}

function byTrace(spans: readonly ReceivedSpan[]): ReceivedSpan[][] {
  const traces = new Map<string, ReceivedSpan[]>();
  for (const span of spans) traces.set(span.traceId, [...(traces.get(span.traceId) ?? []), span]);
  return [...traces.values()];
}

function isTraceOf(trace: readonly ReceivedSpan[], { auditID, source }: ProxiedRequest): boolean {
  return trace.some(
    ({ attributes, startNs }) => attributes['audit-id'] === auditID && startNs === BigInt(source.receivedUs) * 1000n,
  );
}

/** SERVER, CLIENT below it, SERVER below that, each inside its parent where the source passed the answer on. */
function checkTrace(trace: readonly ReceivedSpan[], told: ProxiedRequest): void {
  const [root, ...others] = trace.filter(({ parentSpanId }) => parentSpanId === '');
  const client = trace.find(({ kind }) => kind === 3);
  const far = trace.find(({ parentSpanId }) => parentSpanId === client?.spanId);
  expect([trace.length, others.length]).toEqual([told.destination === null ? 2 : 3, 0]);
  expect(client?.parentSpanId).toBe(root?.spanId);
  expect(root?.attributes['skewscope.source']).toBe(told.source.server);
  expect(root?.resource['skewscope.server']).toBe(told.source.server);
  expect(root?.name).toMatch(/^[A-Z]+ \/apis?\/[^?]*$/);
  expect(new Set(trace.map(({ name }) => name)).size).toBe(1);
  if (told.destination === null) return;
  expect(far?.kind).toBe(2);
  expect(far?.resource['skewscope.server']).toBe(told.destination.server);
  expect(far?.attributes['http.response.status_code']).toBe(told.destination.code ?? undefined);
  if (client === undefined || far === undefined) throw new Error('a span is missing');
  expect(far.startNs >= client.startNs).toBe(true);
  const whole = told.source.code === told.destination.code && (told.source.code ?? 500) < 500;
  if (whole && far.endNs - far.startNs <= client.endNs - client.startNs) {
    expect(far.endNs <= client.endNs).toBe(true);
  }
}

function printable(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
