import { createServer } from 'node:https';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { HttpClient, type HttpClientOptions } from '../../../src/outputs/delivery/http-client.js';
import { Poster } from '../../../src/outputs/otlp/post.js';
import { otlpSettings } from '../../../src/outputs/otlp/settings.js';
import { makeCertificates } from './certificates.js';
import { within } from './examples.js';
import { startProxy } from './proxy.js';
import { answer, Receiver } from './receiver.js';

const BASIC = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
let certificates: ReturnType<typeof makeCertificates>;
let plain: Receiver;
let secure: Receiver;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let closing: (() => unknown)[] = [];
beforeAll(async () => {
  certificates = makeCertificates();
  plain = await Receiver.start(answer(202, 'taken'));
  secure = await Receiver.start(answer(200), 0, (listener) => createServer(certificates.server, listener));
});
afterAll(async () => {
  await plain.stop();
  await secure.stop();
  certificates.drop();
});
afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});

async function post(options: HttpClientOptions, refuse?: number) {
  proxy = await startProxy(refuse);
  const client = new HttpClient({ proxy: proxy.url, ...options });
  closing.push(() => client.close(), proxy.stop);
  const send = () => client.post('{}', {}, within(5_000));
  return { first: await send(), second: await send() };
}

test('a plain address is asked of the proxy with its whole URL, which the receiver sees as its own path', async () => {
  const { first } = await post({ url: `http://receiver.example:${plain.port}/path?q=1` });
  expect(first).toMatchObject({ status: 202, body: 'taken' });
  expect(proxy.seen[0]).toEqual({
    method: 'POST',
    url: `http://receiver.example:${plain.port}/path?q=1`,
    authorization: BASIC,
  });
  expect(plain.requests[0]).toMatchObject({ url: '/path?q=1', headers: { host: `receiver.example:${plain.port}` } });
});

test('an address with TLS is reached through one tunnel, and the proxy sees its name alone', async () => {
  const tls = { ca: certificates.ca };
  const { second } = await post({ url: `https://localhost:${secure.port}/s3cret`, tls });
  expect(second.status).toBe(200);
  expect(proxy.seen).toEqual([{ method: 'CONNECT', url: `localhost:${secure.port}`, authorization: BASIC }]);
  expect(secure.requests.at(-1)).toMatchObject({ url: '/s3cret', body: '{}' });
  expect(secure.requests.at(-1)?.headers['proxy-authorization']).toBeUndefined();
});

test('its certificate is checked as without a proxy', async () => {
  await expect(post({ url: `https://localhost:${secure.port}/` })).rejects.toThrow(
    /^by way of the proxy 127\.0\.0\.1:\d+: its certificate comes from an unknown CA/,
  );
  const tls = { ca: certificates.ca };
  await expect(post({ url: `https://other.example:${secure.port}/`, tls })).rejects.toThrow(
    /certificate is for another/,
  );
});

test('a proxy that refuses, or is not there, is told as that, without its password', async () => {
  const url = `https://localhost:${secure.port}/`;
  await expect(post({ url }, 407)).rejects.toThrow(/the proxy answers HTTP 407 .*; it wants credentials/);
  const gone = new HttpClient({ url, proxy: new URL('http://me:s3cret@127.0.0.1:1') });
  closing.push(() => gone.close());
  const failed = gone.post('{}', {}, within(5_000));
  await expect(failed).rejects.toThrow(/^by way of the proxy 127\.0\.0\.1:1: connection refused/);
  await expect(failed).rejects.not.toThrow(/s3cret/);
});

test('OTLP takes the same way', async () => {
  proxy = await startProxy();
  const { host } = proxy.url;
  const endpoint = `http://collector.example:${plain.port}`;
  const { logs } = otlpSettings({ endpoint }, { HTTP_PROXY: `http://me:p%40ss@${host}` });
  if (logs === undefined) throw new Error('logs are on by default');
  const poster = new Poster(logs, {});
  closing.push(() => poster.close(), proxy.stop);
  const payload = { signal: 'logs', protocol: 'http/json', count: 1, body: Buffer.from('{}'), keys: [] } as const;
  await poster.post(payload, within(5_000));
  expect(proxy.seen).toEqual([{ method: 'POST', url: `${endpoint}/v1/logs`, authorization: BASIC }]);
  expect(plain.requests.at(-1)).toMatchObject({ url: '/v1/logs', body: '{}' });
});
