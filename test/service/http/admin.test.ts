/** What the service tells of itself over HTTP, endpoint by endpoint. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Metrics } from '../../../src/outputs/metrics/index.js';
import { type AnalysisResult, resultSchema } from '../../../src/report/result-schema.js';
import { type AdminOptions, type AdminServer, openAdmin } from '../../../src/service/http/index.js';
import type { requestsAnswer } from '../../../src/service/http/requests-json.js';
import type { StatusAnswer } from '../../../src/service/http/status-json.js';
import { analysis, batch, failedRequest, finding, request, server } from '../../outputs/otlp/examples.js';
import { FakeView, START_MS, sink, status } from './fake-view.js';

const LISTEN = { host: '127.0.0.1', port: 0 };
const API = ['status', 'analysis', 'servers', 'discovery', 'requests', 'findings'].map((name) => `api/v1/${name}`);

let view: FakeView;
let admin: AdminServer;
let messages: string[];
const metrics = new Metrics({ startMs: 0 });
const open = (changes: Partial<AdminOptions> = {}) =>
  openAdmin({
    listen: LISTEN,
    view,
    metrics,
    now: () => START_MS,
    onMessage: (message) => messages.push(message),
    ...changes,
  });
const get = (path: string, init: RequestInit = {}) => fetch(new URL(path, admin.url), init);
const json = async <T>(path: string) => (await (await get(path)).json()) as T;

beforeEach(async () => {
  view = new FakeView();
  view.judged = analysis({ findings: [finding()] });
  messages = [];
  admin = await open();
});
afterEach(() => admin.close());

describe('health', () => {
  test('alive and ready while nothing speaks against it', async () => {
    expect(admin.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    const live = await get('livez');
    expect([live.status, await live.text(), live.headers.get('content-type')]).toEqual([
      200,
      'alive\n',
      'text/plain; charset=utf-8',
    ]);
    const ready = await get('readyz?verbose');
    expect([ready.status, await ready.text()]).toEqual([200, 'ready\n']);
  });

  test('reasons, in a line or line by line; a dead service is not ready', async () => {
    view.unready = ['the group is not joined', '120 messages\r\nbehind'];
    const ready = await get('readyz');
    expect([ready.status, await ready.text()]).toEqual([
      503,
      'not ready: the group is not joined; 120 messages behind\n',
    ]);
    expect(await (await get('readyz?verbose&timeout=3s')).text()).toBe(
      'not ready\n- the group is not joined\n- 120 messages behind\n',
    );
    expect((await get('livez')).status).toBe(200);
    view.dead = ['the consumer crashed'];
    const live = await get('livez');
    expect([live.status, await live.text()]).toEqual([503, 'dead: the consumer crashed\n']);
    expect(await (await get('readyz')).text()).toContain('not ready: the consumer crashed; the group');
  });
});

test('metrics are those of the program', async () => {
  metrics.update(batch());
  const scraped = await get('metrics');
  expect(scraped.headers.get('content-type')).toContain('version=0.0.4');
  expect(scraped.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await scraped.text()).toContain('skewscope_proxied_unreached_total 0');
});

describe('the JSON interface', () => {
  test('the whole analysis is the contract object', async () => {
    const whole = await json<AnalysisResult>('api/v1/analysis');
    expect(resultSchema.parse(whole)).toEqual(whole);
    expect(whole.findings[0]?.evidence[0]?.quote).toBe('x509: certificate signed by …');
  });

  test('servers and discovery are lists of it', async () => {
    const edge = { source: 'cp1', destination: 'cp2', fetches: 1, failures: 0, lastAt: null, cause: null };
    view.judged = analysis({ discovery: [{ ...edge, state: 'ok' }] });
    const whole = await json<AnalysisResult>('api/v1/analysis');
    const { window, clusters, servers, discovery } = whole;
    expect(await json('api/v1/servers')).toEqual({ window, clusters, servers });
    expect(await json('api/v1/discovery')).toEqual({ window, discovery });
    expect([servers.length, discovery.length]).toEqual([2, 1]);
  });

  test('findings by severity, rule and server; twice the same parameter is either', async () => {
    view.judged = analysis({
      findings: [
        finding({ fingerprint: 'a' }),
        finding({ fingerprint: 'b', severity: 'warning', rule: 'proxy-slow', server: null, edges: [] }),
        finding({ fingerprint: 'c', severity: 'info', server: 'cp3', edges: [{ source: 'cp3', destination: 'cp2' }] }),
      ],
    });
    const found = async (query: string) => {
      const { findings } = await json<AnalysisResult>(`api/v1/findings${query}`);
      return findings.map(({ fingerprint }) => fingerprint).sort();
    };
    expect(await found('')).toEqual(['a', 'b', 'c']);
    expect(await found('?severity=warning')).toEqual(['b']);
    expect(await found('?severity=warning&severity=info')).toEqual(['b', 'c']);
    expect(await found('?rule=peer-ca-untrusted')).toEqual(['a', 'c']);
    expect(await found('?server=cp2')).toEqual(['a', 'c']);
    expect(await found('?server=cp1&severity=info')).toEqual([]);
  });

  test.each([
    ['api/v1/findings?since=1h', 'there is no parameter "since"', 'known are severity, rule, server'],
    ['api/v1/findings?__proto__=1', 'there is no parameter "__proto__"', 'known are severity, rule, server'],
    ['api/v1/findings?severity=bad', 'severity cannot be "bad"', 'give info, warning, critical'],
    ['api/v1/status?x', 'there is no parameter "x"', 'this address takes none'],
  ])('%s is refused', async (path, error, advice) => {
    const answer = await get(path);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error, advice });
  });

  test('requests are bounded, newest first, without values that may be secret', async () => {
    const odd = failedRequest({ requestURI: '/api/v1/pods?limit=5&token=hush', userAgent: 'a'.repeat(5000) });
    view.requests = [odd, ...Array.from({ length: 300 }, () => request())];
    const { requests } = await json<ReturnType<typeof requestsAnswer>>('api/v1/requests');
    expect(requests.length).toBe(200);
    expect(requests[0]).toMatchObject({
      uri: '/api/v1/pods?limit=5&token=REDACTED',
      destination: null,
      cause: 'unknown-authority',
      durationMs: 3,
      hopMs: null,
    });
    expect(requests[0]?.userAgent.length).toBeLessThan(300);
    expect(requests[1]).toMatchObject({ durationMs: 10, hopMs: 4, source: { server: 'cp1', code: 201 } });
  });

  test('the status: times as text, lags counted, the verdict in words', async () => {
    const partitions = [
      { ...partitionAt(100, 250), partition: 0 },
      { ...partitionAt(300, 300), partition: 1 },
    ];
    view.unready = ['the group is not joined'];
    view.current = status({ partitions, notes: [{ atMs: START_MS, message: 'hello' }], sinks: [sink({ waiting: 3 })] });
    const told = await json<StatusAnswer>('api/v1/status');
    expect(told).toMatchObject({
      version: '1.2.3',
      startedAt: '2026-01-02T03:04:05.000000Z',
      ready: false,
      reasons: ['the group is not joined'],
      lag: { messages: 150, behindSince: '2026-01-02T03:04:05.000000Z' },
      sinks: [{ name: 'alertmanager', waiting: 3 }],
      notes: [{ at: '2026-01-02T03:04:05.000000Z', message: 'hello' }],
      judged: true,
    });
    expect(told.partitions[0]).toMatchObject({ lag: 150, eventTime: '2026-01-02T03:04:05.000000Z' });
    expect(told.verdicts).toEqual([
      {
        cluster: null,
        level: 'critical',
        headline: 'cp1 does not trust the serving certificate of cp2.',
        details: '1 problem, 1 critical.',
        lookedAt: expect.stringContaining('2 servers: cp1 and cp2'),
      },
    ]);
  });

  test('the verdict is as bad as the worst that was found, whatever is told first', async () => {
    const edges = [{ source: 'cp1', destination: 'cp2' }];
    const harm = finding({ rule: 'wrong-not-found', severity: 'critical', edges, summary: 'wrong 404' });
    const cause = finding({ rule: 'discovery-given-up', severity: 'warning', edges, summary: 'given up' });
    view.judged = analysis({ findings: [harm, cause] });
    const { verdicts } = await json<StatusAnswer>('api/v1/status');
    expect(verdicts[0]).toMatchObject({ level: 'critical', headline: 'given up.' });
  });

  test('the verdict names the cluster also when it is the only one, where it has a name', async () => {
    view.judged = analysis({ clusters: ['prod-1'], servers: [server('cp1', { cluster: 'prod-1' })] });
    expect((await json<StatusAnswer>('api/v1/status')).verdicts.map(({ cluster }) => cluster)).toEqual(['prod-1']);
    view.judged = analysis();
    expect((await json<StatusAnswer>('api/v1/status')).verdicts.map(({ cluster }) => cluster)).toEqual([null]);
  });

  test('each cluster has its own verdict', async () => {
    view.judged = analysis({
      clusters: ['prod', 'lab'],
      servers: [server('cp1', { cluster: 'prod' }), server('cp9', { cluster: 'lab' })],
      findings: [finding({ cluster: 'prod' })],
    });
    const { verdicts } = await json<StatusAnswer>('api/v1/status');
    expect(verdicts.map(({ cluster, level }) => [cluster, level])).toEqual([
      ['lab', 'none'],
      ['prod', 'critical'],
    ]);
    expect(verdicts[0]?.lookedAt).toContain('1 server: cp9');
  });

  test('before the first judgement there is no empty list that would read as health', async () => {
    view.judged = undefined;
    const answer = await get('api/v1/findings');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await answer.json()).toMatchObject({ error: 'nothing has been judged yet' });
    expect(await json('api/v1/status')).toMatchObject({ judged: false, verdicts: [] });
  });

  test.each(API)('%s says whether it changed', async (path) => {
    const first = await get(path);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    await first.arrayBuffer();
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(path, { headers: { 'if-none-match': tag } });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    view.judged = analysis({ servers: [server('cp7')], findings: [] });
    view.requests = [request()];
    view.current = status({ records: 1 });
    const changed = await get(path, { headers: { 'if-none-match': etag } });
    await changed.arrayBuffer();
    // Discovery is empty in both.
    expect(changed.status).toBe(path.endsWith('discovery') ? 304 : 200);
  });

  test('HEAD has the headers of GET and no body', async () => {
    const [head, full] = [await get('api/v1/analysis', { method: 'HEAD' }), await get('api/v1/analysis')];
    expect(await head.text()).toBe('');
    for (const name of ['content-length', 'etag', 'content-type']) {
      expect(head.headers.get(name)).toBe(full.headers.get(name));
    }
    expect(Number(full.headers.get('content-length'))).toBe((await full.arrayBuffer()).byteLength);
  });

  test('what fails inside is told to the log, not to the asker', async () => {
    view.recentRequests = () => {
      throw new Error('secret detail');
    };
    const answer = await get('api/v1/requests');
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { error: 'the service could not answer', advice: 'its log says why' },
    ]);
    expect(messages).toEqual(['the admin page could not answer /api/v1/requests: Error: secret detail']);
  });
});

describe('the page', () => {
  test('each of its files, with a type and a tag, and no script or style within the document', async () => {
    const document = await (await get('')).text();
    expect(document).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:/i);
    const files = [...document.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(files).toEqual(expect.arrayContaining(['/assets/main.js', '/assets/base.css', '/assets/icon.svg']));
    for (const path of files) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      expect(answer.headers.get('etag')).toMatch(/^"/);
      await answer.arrayBuffer();
    }
    expect((await get('/assets/main.js', { method: 'HEAD' })).headers.get('content-type')).toBe(
      'text/javascript; charset=utf-8',
    );
  });

  test.each(['', 'assets/main.js', 'livez', 'metrics', 'api/v1/status', 'nowhere'])(
    'security headers stand on /%s',
    async (path) => {
      const { headers } = await get(path, { method: 'HEAD' });
      const policy = headers.get('content-security-policy') ?? '';
      for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
        expect(policy).toContain(part);
      }
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toMatch(/^no-(store|cache)$/);
      expect(headers.get('access-control-allow-origin')).toBeNull();
    },
  );
});

test('what is not there says what is', async () => {
  const answer = await get('nowhere');
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ advice: expect.stringContaining('/metrics, /api/v1/status') });
});

describe('an address that cannot be used', () => {
  test('names what to do', async () => {
    const port = Number(new URL(admin.url).port);
    await expect(open({ listen: { host: '127.0.0.1', port } })).rejects.toThrow(
      `the admin page cannot be served at 127.0.0.1:${port}: another process listens there; give another port`,
    );
  });

  test('open to all without a token is said, of loopback it is not', async () => {
    expect(messages).toEqual([]);
    const wide = await open({ listen: { host: '0.0.0.0', port: 0 } });
    await wide.close();
    expect(messages).toEqual([expect.stringMatching(/open to everyone who reaches it; configure a token/)]);
  });
});

function partitionAt(position: number, end: number) {
  return {
    topic: 'audit',
    position,
    end,
    committed: null,
    eventTimeUs: START_MS * 1000,
    paused: false,
    unreadable: 0,
    unnamed: 0,
  };
}
