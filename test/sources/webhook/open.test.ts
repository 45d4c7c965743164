/** What a sender is answered, and when. */
import { Agent } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { WebhookBatch, WebhookOptions } from '../../../src/sources/webhook/index.js';
import { until } from '../../until.js';
import { eventList, gate, type Opened, open, type PostOptions, post } from './posting.js';

const opened: Opened[] = [];
afterEach(async () => {
  for (const { webhook } of opened.splice(0)) await webhook.close(0);
});
async function start(options: Partial<WebhookOptions> = {}): Promise<Opened> {
  const result = await open(options);
  opened.push(result);
  return result;
}

const TOKEN = 'a-token-of-enough-letters';
const BODY = eventList(3);

describe('a batch', () => {
  test('is acknowledged when it is safe and not before', async () => {
    const storing = gate();
    const batches: WebhookBatch[] = [];
    const { webhook } = await start({
      now: () => 1234,
      store: (batch) => {
        batches.push(batch);
        return storing.passed;
      },
    });
    let answered = false;
    const answer = post(`${webhook.url}/audit/v1/prod/cp-1?timeout=30s`, { body: BODY }).finally(() => {
      answered = true;
    });
    await until(() => batches.length === 1, 'the store has the batch');
    expect(answered).toBe(false);
    expect(webhook.counters).toMatchObject({ batches: 0, heldBytes: BODY.length });
    storing.pass();
    expect(await answer).toMatchObject({ status: 200, text: '' });
    expect(batches).toEqual([
      { body: Buffer.from(BODY), server: 'cp-1', cluster: 'prod', receivedMs: 1234, events: 3 },
    ]);
    expect(webhook.counters).toMatchObject({
      requests: 1,
      batches: 1,
      events: 3,
      bytes: BODY.length,
      heldBytes: 0,
      peakBytes: BODY.length,
      answers: { 200: 1 },
    });
  });

  test('without a name comes from its address', async () => {
    const { webhook, stored } = await start();
    await post(webhook.url, { body: BODY });
    expect(stored).toMatchObject([{ server: '127.0.0.1', cluster: '' }]);
  });

  test('without events is acknowledged and not stored', async () => {
    const { webhook, stored } = await start();
    expect(await post(webhook.url, { body: eventList(0) })).toMatchObject({ status: 200 });
    expect(stored).toEqual([]);
    expect(webhook.counters.heldBytes).toBe(0);
  });

  test.each([
    ['in pieces', { body: BODY, chunked: true }],
    ['with gzip', { body: gzipSync(BODY), headers: { 'content-encoding': 'gzip' } }],
    ['with a charset', { body: BODY, headers: { 'content-type': 'Application/JSON; charset=utf-8' } }],
    ['after 100-continue', { body: BODY, headers: { expect: '100-continue' } }],
  ])('%s arrives as it was', async (_what, options: PostOptions) => {
    const { webhook, stored } = await start();
    expect(await post(webhook.url, options)).toMatchObject({ status: 200 });
    expect(stored.map(({ body }) => body.toString())).toEqual([BODY]);
  });

  test('that unpacks to 20 times its size arrives', async () => {
    const body = eventList(2000, { padding: 700 });
    const { webhook, stored } = await start();
    const zipped = gzipSync(body);
    expect(body.length / zipped.length).toBeGreaterThan(20);
    await post(webhook.url, { body: zipped, headers: { 'content-encoding': 'gzip' } });
    expect(stored).toMatchObject([{ events: 2000 }]);
  });
});

describe('refused with words', () => {
  test.each<[string, number, string, PostOptions, string?]>([
    ['another method', 405, 'use POST', { method: 'PUT', body: BODY }],
    ['a look', 405, 'use POST', { method: 'GET' }],
    ['another place', 404, '/audit/v1/SERVER', { body: BODY }, '/webhook'],
    ['a strange name', 400, 'a name in the path', { body: BODY }, '/audit/v1/a..b/-'],
    ['another type', 415, 'application/json', { body: BODY, headers: { 'content-type': 'application/yaml' } }],
    ['another encoding', 415, 'gzip', { body: BODY, headers: { 'content-encoding': 'br' } }],
    ['a body that says gzip', 400, 'says gzip and is not', { body: BODY, headers: { 'content-encoding': 'gzip' } }],
    [
      'a body whose gzip is cut',
      400,
      'damaged',
      { body: gzipSync(BODY).subarray(0, -9), headers: { 'content-encoding': 'gzip' } },
    ],
    [
      'a body too large by its length',
      413,
      '--audit-webhook-batch-max-size',
      { body: eventList(1, { padding: 4000 }) },
    ],
    [
      'a body too large as it comes',
      413,
      'raise maxBodyBytes',
      { body: eventList(1, { padding: 4000 }), chunked: true },
    ],
    [
      'a body too large when unpacked',
      413,
      'larger than 2000 bytes',
      { body: gzipSync(eventList(1, { padding: 4000 })), headers: { 'content-encoding': 'gzip' } },
    ],
    ['no body', 400, 'no JSON', {}],
    ['half a body', 400, 'no JSON', { body: BODY.slice(0, 50) }],
    ['another list', 400, 'no EventList', { body: '{"kind":"PodList","apiVersion":"v1"}' }],
  ])('%s: %i', async (_what, status, text, options, path = '/') => {
    const { webhook, stored } = await start({ maxBodyBytes: 2000 });
    const answer = await post(webhook.url + path, options);
    expect(answer).toMatchObject({ status, text: expect.stringContaining(text) });
    // What client-go puts into the log of an apiserver.
    expect(JSON.parse(answer.text)).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: status,
    });
    expect(stored).toEqual([]);
    expect(webhook.counters).toMatchObject({ heldBytes: 0, answers: { [status]: 1 } });
  });

  test('a body that unpacks to a thousand times its size', async () => {
    const { webhook } = await start();
    const body = gzipSync(Buffer.alloc(20 * 2 ** 20, ' '));
    const answer = await post(webhook.url, { body, headers: { 'content-encoding': 'gzip' } });
    expect(answer).toMatchObject({ status: 413, text: expect.stringContaining('250 times') });
    expect(webhook.counters.peakBytes).toBeLessThan(6 * 2 ** 20);
  });

  test.each([
    ['no token', {}],
    ['a wrong token', { authorization: 'Bearer another-token-of-letters' }],
    ['another scheme', { authorization: `Basic ${TOKEN}` }],
  ])('%s: 401, whatever is asked for', async (_what, headers) => {
    const { webhook, stored } = await start({ token: TOKEN });
    const answer = await post(`${webhook.url}/nowhere`, { body: BODY, headers });
    expect(answer).toMatchObject({ status: 401, text: expect.stringContaining('kubeconfig') });
    expect(answer.headers).toMatchObject({
      'www-authenticate': expect.stringContaining('Bearer'),
      connection: 'close',
    });
    expect(stored).toEqual([]);
  });

  test('and the right token is taken', async () => {
    const { webhook } = await start({ token: TOKEN });
    expect(await post(webhook.url, { body: BODY, headers: { authorization: `Bearer ${TOKEN}` } })).toMatchObject({
      status: 200,
    });
  });

  test('who waits for 100-continue is not told to go on', async () => {
    const { webhook } = await start();
    const headers = { expect: '100-continue' };
    expect(await post(`${webhook.url}/nowhere`, { body: BODY, headers })).toMatchObject({ status: 404 });
  });
});

test('an operator is told of what is refused for good, and not of what passes', async () => {
  const { webhook, messages } = await start({ maxBodyBytes: 2000, token: TOKEN });
  const headers = { authorization: `Bearer ${TOKEN}` };
  await post(webhook.url, { body: BODY });
  await post(webhook.url, { method: 'GET', headers });
  await post(webhook.url, { body: eventList(1, { padding: 4000 }), headers });
  expect(messages).toEqual([
    expect.stringContaining('audit webhook: 127.0.0.1 was answered 401: a token is needed'),
    expect.stringContaining('audit webhook: 127.0.0.1 was answered 413: the body is larger than 2000 bytes'),
  ]);
  expect(messages.join()).not.toContain(TOKEN);
});

describe('a store', () => {
  test.each([
    ['fails', async () => Promise.reject(new Error('the disk is full'))],
    [
      'throws',
      () => {
        throw new Error('the disk is full');
      },
    ],
  ])('that %s: 503, to be tried again, and the operator knows why', async (_what, store) => {
    const { webhook, messages } = await start({ store });
    const answer = await post(`${webhook.url}/audit/v1/cp-1`, { body: BODY });
    expect(answer).toMatchObject({ status: 503 });
    expect(answer.headers['retry-after']).toBe('3');
    expect(answer.text).not.toContain('disk');
    expect(messages).toEqual(['audit webhook: 3 events of cp-1 were not stored: the disk is full']);
    expect(webhook.counters).toMatchObject({ batches: 0, heldBytes: 0 });
  });

  test('that is slow: 503 in time, and the batch counts as held until it is stored', async () => {
    const storing = gate();
    const { webhook, messages } = await start({ storeTimeoutMs: 30, store: () => storing.passed });
    expect(await post(webhook.url, { body: BODY })).toMatchObject({ status: 503 });
    expect(webhook.counters).toMatchObject({ overdue: 1, heldBytes: BODY.length, batches: 0 });
    expect(messages).toEqual([expect.stringContaining('not stored after 30 ms')]);
    storing.pass();
    await until(() => webhook.counters.overdue === 0, 'nothing is overdue');
    expect(webhook.counters).toMatchObject({ heldBytes: 0, batches: 1 });
  });

  test('that fails late breaks nothing', async () => {
    const storing = gate();
    const { webhook } = await start({ storeTimeoutMs: 30, store: () => storing.passed });
    expect(await post(webhook.url, { body: BODY })).toMatchObject({ status: 503 });
    storing.fail(new Error('late'));
    await until(() => webhook.counters.overdue === 0, 'nothing is overdue');
    expect(webhook.counters).toMatchObject({ heldBytes: 0, batches: 0 });
  });
});

describe('a dead letter', () => {
  const CUT = BODY.slice(0, -4);

  test('is acknowledged when it is safe', async () => {
    const letters: [WebhookBatch, string][] = [];
    const { webhook, stored, messages } = await start({
      deadLetter: async (batch, reason) => void letters.push([batch, reason]),
    });
    expect(await post(`${webhook.url}/audit/v1/cp-1`, { body: CUT })).toMatchObject({ status: 200 });
    expect(letters).toMatchObject([[{ server: 'cp-1', events: 3 }, expect.stringContaining('no JSON')]]);
    expect(stored).toEqual([]);
    expect(webhook.counters).toMatchObject({ deadLetters: 1, batches: 0, heldBytes: 0 });
    expect(messages).toEqual([expect.stringContaining('set aside')]);
  });

  test('that cannot be kept is tried again', async () => {
    const { webhook } = await start({ deadLetter: () => Promise.reject(new Error('no')) });
    expect(await post(webhook.url, { body: CUT })).toMatchObject({ status: 503 });
    expect(webhook.counters).toMatchObject({ deadLetters: 0, heldBytes: 0 });
  });

  test('holds events: what was sent here by mistake is refused', async () => {
    const letters: unknown[] = [];
    const { webhook } = await start({ deadLetter: async (batch) => void letters.push(batch) });
    expect(await post(webhook.url, { body: '{"kind":"TokenReview"}' })).toMatchObject({ status: 400 });
    expect(letters).toEqual([]);
  });
});

describe('a connection', () => {
  test('is kept after refusals, whether their bodies were read or not', async () => {
    const { webhook } = await start({ maxBodyBytes: 100_000 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      const send = (path: string, body: string) => post(webhook.url + path, { body, agent });
      expect(await send('/', '{}')).toMatchObject({ status: 400, reused: false });
      expect(await send('/', eventList(1, { padding: 200_000 }))).toMatchObject({ status: 413, reused: true });
      expect(await send('/nowhere', eventList(1, { padding: 90_000 }))).toMatchObject({ status: 404, reused: true });
      expect(await send('/', BODY)).toMatchObject({ status: 200, reused: true });
    } finally {
      agent.destroy();
    }
  });

  test('outlives an apiserver’s own patience with idle ones', async () => {
    const { webhook } = await start();
    const agent = new Agent({ keepAlive: true });
    const { headers } = await post(webhook.url, { body: BODY, agent });
    agent.destroy();
    expect(headers['keep-alive']).toBe('timeout=120');
  });
});
