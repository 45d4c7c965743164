/** Who may speak with the receiver over TLS, and how its certificates are renewed. */
import { Agent as TlsAgent } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { WebhookOptions } from '../../../src/sources/webhook/index.js';
import { makeCertificates } from '../../outputs/delivery/certificates.js';
import { until } from '../../until.js';
import { eventList, type Opened, open, post } from './posting.js';

type Certificates = ReturnType<typeof makeCertificates>;

const BODY = eventList(1);
const TOKEN = 'a-token-of-enough-letters';
let ours: Certificates;
let others: Certificates;
const opened: Opened[] = [];

beforeAll(() => {
  ours = makeCertificates();
  others = makeCertificates();
});
afterAll(() => {
  ours.drop();
  others.drop();
});
afterEach(async () => {
  for (const { webhook } of opened.splice(0)) await webhook.close(0);
});

async function start(options: Partial<WebhookOptions> = {}): Promise<Opened> {
  const result = await open({ tls: { ...ours.server, clientCa: ours.ca }, ...options });
  opened.push(result);
  return result;
}

describe('with a CA of clients', () => {
  test('a client’s certificate names the server', async () => {
    const { webhook, stored } = await start();
    expect(webhook.url).toMatch(/^https:/);
    expect(await post(webhook.url, { body: BODY, ca: ours.ca, ...ours.client })).toMatchObject({ status: 200 });
    expect(stored).toMatchObject([{ server: 'client' }]);
  });

  test('a path names it before that', async () => {
    const { webhook, stored } = await start();
    await post(`${webhook.url}/audit/v1/prod/cp-1`, { body: BODY, ca: ours.ca, ...ours.client });
    expect(stored).toMatchObject([{ server: 'cp-1', cluster: 'prod' }]);
  });

  test('a certificate that two addresses show names neither, and the operator is told', async () => {
    const { webhook, stored, messages } = await start();
    for (const localAddress of ['127.0.0.1', '127.0.0.2', '127.0.0.1']) {
      await post(webhook.url, { body: BODY, ca: ours.ca, ...ours.client, localAddress });
    }
    expect(stored.map(({ server }) => server)).toEqual(['client', '127.0.0.2', '127.0.0.1']);
    expect(messages).toEqual([expect.stringContaining('several addresses show the client certificate of client')]);
  });

  test.each<[string, string, () => { cert: string; key: string } | undefined]>([
    ['none', 'it showed no certificate', () => undefined],
    ['one of another CA', 'not signed by the CA of clients', () => others.client],
  ])('a client with %s comes no further', async (_what, words, certificate) => {
    const { webhook, stored, messages } = await start();
    await expect(post(webhook.url, { body: BODY, ca: ours.ca, ...certificate() })).rejects.toThrow();
    await until(() => webhook.counters.tlsFailures === 1, 'it is counted');
    expect(webhook.counters.requests).toBe(0);
    expect(stored).toEqual([]);
    expect(messages).toEqual([expect.stringContaining(words)]);
  });

  test('and a token, both are needed', async () => {
    const { webhook } = await start({ token: TOKEN });
    const client = { body: BODY, ca: ours.ca, ...ours.client };
    expect(await post(webhook.url, client)).toMatchObject({ status: 401 });
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect(await post(webhook.url, { ...client, headers })).toMatchObject({ status: 200 });
    await expect(post(webhook.url, { body: BODY, ca: ours.ca, headers })).rejects.toThrow();
  });
});

describe('without a CA of clients', () => {
  test('a token is enough', async () => {
    const { webhook } = await start({ tls: ours.server, token: TOKEN });
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect(await post(webhook.url, { body: BODY, ca: ours.ca, headers })).toMatchObject({ status: 200 });
    expect(await post(webhook.url, { body: BODY, ca: ours.ca })).toMatchObject({ status: 401 });
  });
});

describe('the connection', () => {
  const handshake = (port: number, options: object) =>
    new Promise<{ protocol: string | null; alpn: string | false | null }>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', ca: ours.ca, ...ours.client, ...options }, () => {
        resolve({ protocol: socket.getProtocol(), alpn: socket.alpnProtocol });
        socket.destroy();
      });
      socket.on('error', reject);
    });

  test('has TLS 1.2 at least, and HTTP/1.1 whatever else is offered', async () => {
    const { webhook } = await start();
    const port = Number(new URL(webhook.url).port);
    const ALPNProtocols = ['h2', 'http/1.1'];
    expect(await handshake(port, { ALPNProtocols })).toEqual({ protocol: 'TLSv1.3', alpn: 'http/1.1' });
    expect(await handshake(port, { maxVersion: 'TLSv1.2' })).toMatchObject({ protocol: 'TLSv1.2' });
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(handshake(port, old)).rejects.toThrow(/alert protocol version/);
  });

  test('that speaks no TLS, or never begins, is ended', async () => {
    const { webhook } = await start({ limits: { headersMs: 100, checkMs: 50 } });
    const port = Number(new URL(webhook.url).port);
    await expect(post(`http://127.0.0.1:${port}`, { body: BODY })).rejects.toThrow();
    let closed = false;
    connectTcp(port, '127.0.0.1').on('close', () => {
      closed = true;
    });
    await until(() => closed, 'the silent one is closed');
    expect(webhook.counters.tlsFailures).toBe(2);
  });
});

describe('new certificates', () => {
  test('are shown to who comes, and open connections end after their next answer', async () => {
    const { webhook } = await start();
    const agent = new TlsAgent({ keepAlive: true, maxSockets: 1, ca: ours.ca, ...ours.client });
    const send = () => post(webhook.url, { body: BODY, agent });
    try {
      expect(await send()).toMatchObject({ status: 200, headers: { connection: 'keep-alive' } });
      webhook.reload({ ...others.server, clientCa: others.ca });
      expect(await send()).toMatchObject({ status: 200, reused: true, headers: { connection: 'close' } });
      await expect(send()).rejects.toThrow(/certificate/);
    } finally {
      agent.destroy();
    }
    const client = { body: BODY, ca: others.ca, ...others.client };
    expect(await post(webhook.url, client)).toMatchObject({ status: 200 });
    await expect(post(webhook.url, { ...client, ...ours.client })).rejects.toThrow();
  });

  test('end sessions that the old CA had let in', async () => {
    const { webhook } = await start();
    const port = Number(new URL(webhook.url).port);
    const session = await new Promise<Buffer>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', ca: ours.ca, ...ours.client });
      socket.on('error', reject).once('session', (ticket: Buffer) => {
        resolve(ticket);
        socket.destroy();
      });
    });
    const resume = () =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, session });
        const end = (resumed: boolean) => {
          resolve(resumed);
          socket.destroy();
        };
        socket.on('error', () => end(false)).on('close', () => end(false));
        // TLS 1.3 tells of a refusal after the handshake: only an answer shows that one was let in.
        socket.on('data', () => end(socket.isSessionReused()));
        socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
      });
    expect(await resume()).toBe(true);
    webhook.reload({ ...others.server, clientCa: others.ca });
    expect(await resume()).toBe(false);
  });

  test('that cannot be used change nothing', async () => {
    const { webhook } = await start();
    const mixed = { cert: ours.server.cert, key: others.server.key, clientCa: ours.ca };
    expect(() => webhook.reload(mixed)).toThrow(/cannot be used: .*key values mismatch/);
    expect(() => webhook.reload({ ...ours.server, clientCa: 'none' })).toThrow(/holds no PEM certificate/);
    expect(() => webhook.reload(ours.server)).toThrow(/without a restart/);
    expect(await post(webhook.url, { body: BODY, ca: ours.ca, ...ours.client })).toMatchObject({ status: 200 });
  });

  test('need TLS', async () => {
    const plain = await open();
    opened.push(plain);
    expect(() => plain.webhook.reload(ours.server)).toThrow(/speaks no TLS/);
  });
});
