import { createServer as createTlsServer } from 'node:https';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { HttpClient, type HttpClientOptions, HttpFailure } from '../../../src/outputs/delivery/http-client.js';
import { makeCertificates } from './certificates.js';
import { within } from './examples.js';
import * as receivers from './receiver.js';
import { answer, Receiver } from './receiver.js';

let receiver: Receiver;
let client: HttpClient | undefined;
afterEach(async () => {
  client?.close();
  await receiver.stop();
});

async function post(options: Partial<HttpClientOptions> = {}, signal = within(5_000)) {
  client = new HttpClient({ url: `${receiver.url}/path?q=1`, ...options });
  return client.post('{"a":"ü"}', { 'content-type': 'application/json' }, signal);
}

test('posts the body and gives the answer', async () => {
  receiver = await Receiver.start(
    answer(202, 'taken', { 'Content-Type': 'Text/Plain; charset=utf-8', 'retry-after': '3' }),
  );
  expect(await post({ headers: { 'x-one': 'two' } })).toEqual({
    status: 202,
    type: 'text/plain',
    retryAfter: '3',
    body: 'taken',
  });
  const [request] = receiver.requests;
  expect(request).toMatchObject({ method: 'POST', url: '/path?q=1', body: '{"a":"ü"}' });
  expect(request?.headers).toMatchObject({
    'x-one': 'two',
    'content-type': 'application/json',
    'user-agent': 'skewscope',
  });
});

test('credentials of the URL become a header and are not shown', async () => {
  receiver = await Receiver.start();
  await post({ url: `http://me:p%40ss@127.0.0.1:${receiver.port}/` });
  expect(receiver.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
  expect(client?.host).toBe(`127.0.0.1:${receiver.port}`);
});

test('redirects are answers like others', async () => {
  receiver = await Receiver.start(answer(307, '', { location: 'http://127.0.0.1:1/elsewhere' }));
  expect((await post()).status).toBe(307);
  expect(receiver.requests.length).toBe(1);
});

test('a huge answer is read to a bound, then the connection is closed', async () => {
  receiver = await Receiver.start(receivers.HUGE);
  const before = process.memoryUsage().rss;
  const { status, body } = await post();
  expect([status, body.length]).toEqual([500, 2048]);
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 2 ** 20);
});

describe('failures have words', () => {
  test.each([
    ['CLOSE', receivers.CLOSE, 'the connection was closed before the answer was complete'],
    ['CLOSE_HALFWAY', receivers.CLOSE_HALFWAY, 'the connection was closed before the answer was complete'],
    ['GARBAGE', receivers.GARBAGE, 'its answer is no HTTP'],
    ['HUGE_HEADER', receivers.HUGE_HEADER, 'the header of its answer is too large'],
  ])('%s', async (_name, behaviour, words) => {
    receiver = await Receiver.start(behaviour);
    await expect(post()).rejects.toThrow(new HttpFailure(words));
  });

  test.each([
    ['HANG', receivers.HANG],
    ['HANG_IN_BODY', receivers.HANG_IN_BODY],
  ])('%s ends with the signal', async (_name, behaviour) => {
    receiver = await Receiver.start(behaviour);
    await expect(post({}, within(100))).rejects.toThrow(new HttpFailure('broken off'));
  });

  test('nobody listens', async () => {
    receiver = await Receiver.start();
    const { url } = receiver;
    await receiver.stop();
    receiver = await Receiver.start();
    await expect(post({ url })).rejects.toThrow('connection refused');
  });
});

describe('TLS', () => {
  let certificates: ReturnType<typeof makeCertificates>;
  beforeAll(() => {
    certificates = makeCertificates();
  });
  afterAll(() => certificates.drop());

  async function startTls(options: object = {}) {
    receiver = await Receiver.start(answer(200), 0, (listener) =>
      createTlsServer({ ...certificates.server, ...options }, listener),
    );
    return { url: `https://127.0.0.1:${receiver.port}` };
  }

  test('a CA of its own', async () => {
    const { url } = await startTls();
    expect((await post({ url, tls: { ca: certificates.ca } })).status).toBe(200);
  });

  test('without it, the reason says what to give', async () => {
    const { url } = await startTls();
    await expect(post({ url })).rejects.toThrow('its certificate comes from an unknown CA; give the CA as tls.ca');
  });

  test('another name is refused, unless it is the one that was given', async () => {
    const url = `https://127.0.0.2:${new URL((await startTls()).url).port}`;
    await expect(post({ url, tls: { ca: certificates.ca } })).rejects.toThrow(HttpFailure);
    const local = `https://127.0.0.1:${receiver.port}`;
    const tls = { ca: certificates.ca, serverName: 'elsewhere.example' };
    await expect(post({ url: local, tls })).rejects.toThrow('its certificate is for another name');
    expect((await post({ url: local, tls: { ...tls, serverName: 'localhost' } })).status).toBe(200);
  });

  test('a client certificate', async () => {
    const { url } = await startTls({ ca: certificates.ca, requestCert: true, rejectUnauthorized: true });
    const { ca, client: own } = certificates;
    expect((await post({ url, tls: { ca, ...own } })).status).toBe(200);
    client?.close();
    await expect(post({ url, tls: { ca } })).rejects.toThrow(/client certificate|closed/);
  });

  test('plain HTTP where TLS was expected', async () => {
    receiver = await Receiver.start();
    await expect(post({ url: `https://127.0.0.1:${receiver.port}` })).rejects.toThrow('http:// and not https://');
  });
});
