/** A proxied request as spans. */
import { describe, expect, test } from '@jest/globals';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import fc from 'fast-check';
import type { ProxiedRequest } from '../../../src/model/proxied-request.js';
import { encodeSpans } from '../../../src/outputs/otlp/encode.js';
import { requestSpans } from '../../../src/outputs/otlp/request-spans.js';
import { ServerResources } from '../../../src/outputs/otlp/resources.js';
import { requestKey } from '../../../src/outputs/otlp/told-keys.js';
import { failedRequest, request, server, side } from './examples.js';

const resources = () => new ServerResources().update([server('cp1'), server('cp2')]);
const spansOf = (told: ProxiedRequest) => requestSpans(told, resources());

describe('a request that was passed on', () => {
  const [source, hop, destination] = spansOf(request());

  test('is a server span, a client span below it, and a server span below that', () => {
    expect([source?.kind, hop?.kind, destination?.kind]).toEqual([SpanKind.SERVER, SpanKind.CLIENT, SpanKind.SERVER]);
    expect(source?.parentSpanContext).toBeUndefined();
    expect(hop?.parentSpanContext?.spanId).toBe(source?.spanContext().spanId);
    expect(destination?.parentSpanContext?.spanId).toBe(hop?.spanContext().spanId);
    expect(new Set([source, hop, destination].map((span) => span?.spanContext().traceId)).size).toBe(1);
  });

  test('has the names and attributes of the HTTP conventions', () => {
    expect(source?.name).toBe('POST /apis/batch/v1/namespaces/{namespace}/jobs');
    expect(source?.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.response.status_code': 201,
      'http.route': '/apis/batch/v1/namespaces/{namespace}/jobs',
      'url.scheme': 'https',
      'url.path': '/apis/batch/v1/namespaces/team-a/jobs',
      'url.query': 'fieldManager=kubectl',
      'client.address': '198.51.100.7',
      'network.peer.address': '10.0.0.5',
      'user_agent.original': 'kubectl/v1.36.3 (linux/amd64) kubernetes/abc',
      'audit-id': '5a7d2f0e-8c1b-4b0e-9a67-0c1d5d6f0001',
      'k8s.namespace.name': 'team-a',
      'skewscope.verb': 'create',
      'skewscope.resource': 'jobs.batch/v1',
      'skewscope.reached': true,
      'skewscope.log.input': 'cp1-audit.log',
      'skewscope.log.line': 7,
    });
    expect(hop?.attributes).toMatchObject({
      'server.address': '10.0.0.12',
      'server.port': 6443,
      'skewscope.hop_ms': 4,
    });
    expect(hop?.attributes).not.toHaveProperty('http.route');
    expect(destination?.attributes).toMatchObject({ 'skewscope.clock.skew_us': 0, 'skewscope.clock.correction_us': 0 });
  });

  test('is told by the apiservers themselves', () => {
    expect(source?.resource.attributes).toMatchObject({
      'service.name': 'kube-apiserver',
      'service.instance.id': 'apiserver-cp1',
      'service.version': 'v1.36.3',
      'k8s.node.name': 'cp1',
      'k8s.cluster.name': 'default',
    });
    expect(hop?.resource).toBe(source?.resource);
    expect(destination?.resource.attributes['service.instance.id']).toBe('apiserver-cp2');
  });

  test('is the same before its servers are known by name', () => {
    const early = request({ source: { ...request().source, server: 'audit' } });
    const ids = (told: ProxiedRequest) => requestSpans(told, new ServerResources()).map((span) => span.spanContext());
    expect(ids(early)).toEqual(spansOf(request()).map((span) => span.spanContext()));
  });

  test('is the same whenever it is told, and another one for another time, cluster or Audit-ID', () => {
    const ids = (told: ProxiedRequest) => spansOf(told).map((span) => span.spanContext().spanId);
    expect(ids(request())).toEqual(ids(request()));
    const all = [{}, { auditID: 'b' }, { cluster: 'c' }, { source: side('cp1', 1, 9, 201) }].flatMap((c) =>
      ids(request(c)),
    );
    expect(new Set(all).size).toBe(12);
  });
});

describe('statuses', () => {
  const outcome = (code: number) =>
    spansOf(request({ source: side('cp1', 0, 10_000, code), destination: side('cp2', 2_000, 8_000, code) })).map(
      ({ status, attributes }) => [status.code, attributes['error.type']],
    );

  test('a client error is one of the client span only', () => {
    expect(outcome(404)).toEqual([
      [SpanStatusCode.UNSET, undefined],
      [SpanStatusCode.ERROR, '404'],
      [SpanStatusCode.UNSET, undefined],
    ]);
  });

  test('a server error is one everywhere', () => {
    expect(outcome(500).every(([code]) => code === SpanStatusCode.ERROR)).toBe(true);
  });

  test('success is left unset', () => {
    expect(outcome(200).every(([code]) => code === SpanStatusCode.UNSET)).toBe(true);
  });

  test('an answer that came after the source had given up is an error of the hop', () => {
    const late = request({ source: side('cp1', 0, 9, 503), destination: side('cp2', 41_000_000, 41_000_100, 200) });
    const [source, hop, destination] = spansOf(late);
    expect(source?.attributes['error.type']).toBe('503');
    expect(hop?.attributes['error.type']).toBe('_OTHER');
    expect(hop?.attributes).not.toHaveProperty('http.response.status_code');
    expect(destination?.status.code).toBe(SpanStatusCode.UNSET);
  });
});

describe('a request that reached nobody', () => {
  test('ends at the client span with the cause', () => {
    const spans = spansOf(failedRequest());
    expect(spans.map(({ kind }) => kind)).toEqual([SpanKind.SERVER, SpanKind.CLIENT]);
    expect(spans[1]?.attributes).toMatchObject({ 'error.type': 'unknown-authority', 'skewscope.reached': false });
    expect(spans[1]?.status).toMatchObject({
      code: SpanStatusCode.ERROR,
      message: 'the hop failed: unknown-authority',
    });
    expect(spans[0]?.attributes['http.response.status_code']).toBe(503);
  });
});

describe('an ambiguous join', () => {
  test('is two traces with links, and no parent is guessed', () => {
    const [, hop, destination] = spansOf(request({ ambiguous: true }));
    expect(destination?.parentSpanContext).toBeUndefined();
    expect(destination?.spanContext().traceId).not.toBe(hop?.spanContext().traceId);
    expect(destination?.links.map(({ context }) => context)).toEqual([hop?.spanContext()]);
    expect(hop?.links.map(({ context }) => context)).toEqual([destination?.spanContext()]);
  });
});

describe('verbs', () => {
  test.each([
    ['list', 'GET'],
    ['watch', 'GET'],
    ['update', 'PUT'],
    ['patch', 'PATCH'],
    ['deletecollection', 'DELETE'],
    ['head', 'HEAD'],
  ])('%s is %s', (verb, method) => {
    expect(spansOf(request({ verb }))[0]?.attributes['http.request.method']).toBe(method);
  });

  test('an unknown one is _OTHER and keeps its name apart', () => {
    const [span] = spansOf(request({ verb: 'constructor' }));
    expect(span?.attributes).toMatchObject({
      'http.request.method': '_OTHER',
      'http.request.method_original': 'constructor',
    });
    expect(span?.name).toBe('HTTP /apis/batch/v1/namespaces/{namespace}/jobs');
  });
});

describe('hostile requests', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom('x'.repeat(50_000), '\ud800', '{{}}', '/'.repeat(20_000), 'Bearer abcdefghijklmnop'),
  );
  const sideOf = fc.record({
    server: text,
    receivedUs: fc.oneof(fc.integer(), fc.constantFrom(0, 8e18, Number.NaN)),
    doneUs: fc.option(fc.integer()),
    code: fc.option(fc.integer({ min: 0, max: 999 })),
    input: text,
    line: fc.nat(),
  });
  const hostile: fc.Arbitrary<ProxiedRequest> = fc.record({
    auditID: text,
    cluster: text,
    verb: text,
    requestURI: fc.oneof(
      text,
      text.map((rest) => `/apis/batch/v1/namespaces/${rest}`),
    ),
    resource: text,
    namespace: text,
    name: text,
    userAgent: text,
    sourceIPs: text,
    source: sideOf,
    destination: fc.option(sideOf),
    cause: fc.option(fc.constantFrom('refused', 'timeout')),
    skewUs: fc.integer(),
    ambiguous: fc.boolean(),
  });

  test('keep names low in cardinality and values bounded, and can always be sent', () => {
    fc.assert(
      fc.property(hostile, (told) => {
        const spans = spansOf(told);
        for (const { name, attributes, resource } of spans) {
          expect(name).toMatch(/^(HTTP|[A-Z]{3,7})(( \/[a-z0-9.-]+|\/[a-z0-9.-]+|\/\{[a-z]+\})*)$/);
          expect(name.length).toBeLessThan(200);
          for (const value of Object.values({ ...attributes, ...resource.attributes })) {
            if (typeof value !== 'string') continue;
            expect(value.length).toBeLessThanOrEqual(512);
            expect(value).not.toMatch(/[\p{Control}\p{Surrogate}]|abcdefghijklmnop/u);
          }
        }
        for (const protocol of ['http/protobuf', 'http/json'] as const) {
          const [message] = encodeSpans([{ parts: spans, key: requestKey(told) }], protocol);
          expect(message?.body.length).toBeLessThan(40_000);
        }
      }),
      { numRuns: 300 },
    );
  });
});
