/** The OTLP output against receivers that refuse, hang, answer nonsense, or die: nothing is lost, and the report says what waits. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Clock, systemClock } from '../../../src/outputs/delivery/clock.js';
import {
  createOtlpOutput,
  type OtlpOptions,
  type OtlpOutputOptions,
  otlpSettings,
} from '../../../src/outputs/otlp/index.js';
import { isComplete, OutputError } from '../../../src/outputs/output.js';
import { analysis, batch, failedRequest, finding, request } from './examples.js';
import { type Answer, dies, hangs, status, takes, withReceiver } from './receiver.js';

/** Waits are short and known, so that the order of things is. */
const waiting = (mostMs: number): Clock => ({
  now: () => 0,
  random: () => 0,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, mostMs), signal),
});
const quick = waiting(20);

const NEWS = batch({ requests: [request()], changes: [{ kind: 'opened', finding: finding() }] });
/** Three spans and one record. */
const ITEMS = 4;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skewscope-otlp-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function output(endpoint: string, changes: Partial<OtlpOutputOptions> = {}, options: OtlpOptions = {}) {
  return createOtlpOutput(otlpSettings({ endpoint, timeoutMs: 300, ...options }, {}), { clock: quick, ...changes });
}

describe('a receiver that takes everything', () => {
  test('gets findings first, then spans, each under its path', () =>
    withReceiver([takes], async (endpoint, taken) => {
      const sink = output(endpoint);
      const report = await sink.deliver(NEWS);
      await sink.close();
      expect(report).toEqual({ delivered: ITEMS, known: 0, waiting: [], refused: [], answer: 'HTTP 200' });
      expect(isComplete(report)).toBe(true);
      expect(taken.map(({ path }) => path)).toEqual(['/v1/logs', '/v1/traces']);
      expect(taken[0]?.headers['content-type']).toBe('application/x-protobuf');
    }));

  test('gets states once and not again while they stay', () =>
    withReceiver([takes], async (endpoint, taken) => {
      const cell = { source: 'cp1', destination: 'cp2', fetches: 1, failures: 0, lastAt: 5, cause: null } as const;
      const sink = output(endpoint);
      const with_ = (state: 'ok' | 'failing') => batch({ analysis: analysis({ discovery: [{ ...cell, state }] }) });
      const delivered = [];
      for (const state of ['ok', 'ok', 'failing'] as const)
        delivered.push((await sink.deliver(with_(state))).delivered);
      await sink.close();
      expect(delivered).toEqual([1, 0, 1]);
      expect(taken).toHaveLength(2);
    }));

  test('gets the headers and no more than the ratio of what went well', () =>
    withReceiver([takes], async (endpoint, taken) => {
      const sink = output(endpoint, {}, { ratio: 0, headers: { 'X-Scope': 'a' } });
      const report = await sink.deliver(batch({ requests: [request(), failedRequest()] }));
      await sink.close();
      expect(report.delivered).toBe(2);
      expect(taken[0]?.headers['x-scope']).toBe('a');
    }));
});

describe('a receiver in trouble', () => {
  test.each<[string, Answer, RegExp]>([
    ['hangs', hangs, /^no answer within 0\.3 s/],
    ['answers 429', status(429), /^HTTP 429/],
    ['answers 500', status(500, {}, 'boom'), /^HTTP 500: boom/],
    ['answers 503 with a wish', status(503, { 'retry-after': '1' }), /HTTP 503 \(asks to wait 1 s\)/],
    ['dies halfway', dies, /closed before the answer was complete/],
    ['answers a page', status(200, { 'content-type': 'text/html' }, '<html>'), /no OTLP \(text\/html\)/],
    ['answers garbage', status(200, { 'content-type': 'application/x-protobuf' }, '\xff\xff\xff'), /no OTLP/],
  ])('that %s: everything waits, and arrives when it is well again', (_case, trouble, words) =>
    withReceiver([trouble, trouble, trouble, takes], async (endpoint, taken) => {
      // Four attempts take far longer than the first call waits, also on a busy machine.
      const sink = output(endpoint, { clock: waiting(150) });
      const first = await sink.deliver(NEWS, AbortSignal.timeout(50));
      const all = [{ count: ITEMS, reason: expect.stringMatching(/.+/), where: null, triedMs: expect.any(Number) }];
      expect(first).toMatchObject({ delivered: 0, waiting: all, refused: [] });
      const reason = (await sink.deliver(batch(), AbortSignal.timeout(350))).waiting[0]?.reason;
      const last = await sink.deliver(batch(), AbortSignal.timeout(5_000));
      await sink.close();
      if (reason !== undefined) expect(reason).toMatch(words);
      expect(last.waiting).toEqual([]);
      expect(last.refused).toEqual([]);
      expect(new Set(taken.slice(3).map(({ path }) => path))).toEqual(new Set(['/v1/logs', '/v1/traces']));
    }),
  );

  test('that is not there at all is told as that', async () => {
    const sink = output('http://127.0.0.1:9');
    const { waiting } = await sink.deliver(NEWS, AbortSignal.timeout(300));
    await sink.close();
    expect(waiting).toMatchObject([
      { count: ITEMS, reason: expect.stringMatching(/^connection refused/), where: null },
    ]);
  });

  test('that has not answered yet is told as that, for one message after the other', () =>
    withReceiver([hangs], async (endpoint) => {
      const sink = output(endpoint, {}, { timeoutMs: 60_000 });
      const { waiting } = await sink.deliver(NEWS, AbortSignal.timeout(50));
      await sink.close();
      expect(waiting).toMatchObject([{ count: ITEMS, reason: 'the receiver has not answered yet', where: null }]);
    }));

  test('is named in a reason only where it is another than that of the output', () =>
    withReceiver([status(500)], async (logs) =>
      withReceiver([takes], async (traces) => {
        const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: logs };
        // Longer than the test takes: one attempt, which fails.
        const sink = createOtlpOutput(otlpSettings({}, env), { clock: waiting(60_000) });
        const report = await sink.deliver(NEWS, AbortSignal.timeout(200));
        await sink.close();
        expect(sink.name).toBe(`otlp ${new URL(traces).host}`);
        expect(report.waiting).toMatchObject([{ reason: `${new URL(logs).host}: HTTP 500` }]);
      }),
    ));

  test('that turns a message down gets the others all the same', () =>
    withReceiver([status(400, {}, 'bad \u0000 record'), takes], async (endpoint) => {
      const sink = output(endpoint);
      const report = await sink.deliver(NEWS);
      await sink.close();
      expect(report).toMatchObject({ delivered: 3, waiting: [] });
      expect(report.refused).toEqual([
        { count: 1, reason: expect.stringMatching(/HTTP 400: bad +record/), where: null },
      ]);
    }));

  test('that echoes what it was sent does not bring secrets of headers into a reason', () => {
    const echo: Answer = (response, { headers }) =>
      status(
        401,
        {},
        `no: ${headers['x-api-key']} ${headers.authorization}`,
      )(response, { path: '', headers, body: Buffer.alloc(0) });
    return withReceiver([echo], async (endpoint) => {
      const headers = { 'x-api-key': 'KEY-4711', authorization: 'Basic dXNlcjpwYXNz' };
      const sink = output(endpoint, { folder }, { headers });
      const report = await sink.deliver(NEWS);
      await sink.close();
      expect(report.refused[0]?.reason).toMatch(/HTTP 401.*no: \*\*\* \*\*\*/);
      const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
      for (const text of [JSON.stringify(report), ...kept]) {
        expect(text).not.toContain('KEY-4711');
        expect(text).not.toContain('dXNlcjpwYXNz');
      }
    });
  });

  test('that never takes one message gets the others in the end', () => {
    const picky: Answer = (response, taken) => (taken.path === '/v1/logs' ? status(500) : takes)(response, taken);
    return withReceiver([picky], async (endpoint) => {
      const sink = output(endpoint);
      const report = await sink.deliver(NEWS);
      await sink.close();
      expect(report).toMatchObject({ delivered: 3, waiting: [] });
      expect(report.refused).toEqual([
        {
          count: 1,
          reason: expect.stringMatching(/^failed 4 times while others went through: .*HTTP 500/),
          where: null,
        },
      ]);
    });
  });

  test('that rejects a part is told with its words', () => {
    const partly: Answer = (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ partialSuccess: { rejectedSpans: '2', errorMessage: 'too old' } }));
    const all: Answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    return withReceiver([all, partly], async (endpoint) => {
      const sink = output(endpoint, {}, { protocol: 'http/json' });
      const report = await sink.deliver(NEWS);
      await sink.close();
      expect(report.delivered).toBe(2);
      expect(report.refused).toEqual([{ count: 2, reason: 'rejected by the receiver: too old', where: null }]);
    });
  });
});

describe('what waits', () => {
  test('is bounded: a full backlog takes no new batch', async () => {
    const sink = output('http://127.0.0.1:9', { maxBytes: 1_000 });
    await sink.deliver(NEWS, AbortSignal.timeout(50));
    const second = await sink.deliver(NEWS, AbortSignal.timeout(50));
    await sink.close();
    expect(second.postponed).toBe(true);
    expect(second.waiting[0]?.count).toBe(ITEMS);
  });

  test('outlives the process in a folder', () =>
    withReceiver([takes], async (endpoint) => {
      const before = output('http://127.0.0.1:9', { folder });
      const { waiting } = await before.deliver(NEWS, AbortSignal.timeout(100));
      await before.close();
      expect(waiting[0]?.where).toBe(folder);
      const after = output(endpoint, { folder });
      await after.open?.();
      expect(await after.deliver(batch())).toMatchObject({ delivered: ITEMS, waiting: [] });
      await after.close();
      expect(readdirSync(folder)).toEqual(['told.bin']);
    }));

  test('and was damaged meanwhile is told', async () => {
    const before = output('http://127.0.0.1:9', { folder });
    await before.deliver(NEWS, AbortSignal.timeout(100));
    await before.close();
    const [name = ''] = readdirSync(folder).filter((entry) => entry.endsWith('.ndjson'));
    const lines = readFileSync(join(folder, name), 'utf8').split('\n');
    writeFileSync(join(folder, name), ['{"signal":', ...lines.slice(1)].join('\n'));
    const messages: string[] = [];
    await withReceiver([takes], async (endpoint) => {
      const after = output(endpoint, { folder, onMessage: (message) => messages.push(message) });
      expect(await after.deliver(batch())).toMatchObject({ delivered: ITEMS - 1 });
      await after.close();
    });
    expect(messages).toEqual([expect.stringMatching(/^otlp 127.*: 1 damaged line left out in /)]);
  });

  test('belongs to one process at a time', async () => {
    const one = output('http://127.0.0.1:9', { folder });
    const other = output('http://127.0.0.1:9', { folder });
    await one.open?.();
    await expect(other.open?.()).rejects.toThrow(OutputError);
    await one.close();
    await other.close();
  });
});

test('a closed output takes nothing more', async () => {
  const sink = output('http://127.0.0.1:9');
  await sink.close();
  await sink.close();
  await expect(sink.deliver(NEWS)).rejects.toThrow('is closed');
});
