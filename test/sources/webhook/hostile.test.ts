/** Senders that go away, wait, flood or ask for too much. */
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { WebhookOptions } from '../../../src/sources/webhook/index.js';
import { until } from '../../until.js';
import { eventList, gate, type Opened, open, post } from './posting.js';

const MEBI = 2 ** 20;
const opened: Opened[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const { webhook } of opened.splice(0)) await webhook.close(0);
});
async function start(options: Partial<WebhookOptions> = {}): Promise<Opened> {
  const result = await open(options);
  opened.push(result);
  return result;
}

interface Raw {
  readonly socket: Socket;
  readonly said: () => string;
  readonly closed: () => boolean;
}

function dial(url: string, text: string): Raw {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(socket);
  let said = '';
  let closed = false;
  socket.on('data', (chunk: Buffer) => {
    said += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
  });
  socket.write(text);
  return { socket, said: () => said, closed: () => closed };
}

const head = (length: number) =>
  `POST /audit/v1/cp-1 HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

describe('a sender', () => {
  test('that goes away in the midst of a body leaves nothing', async () => {
    const { webhook, stored } = await start();
    const body = eventList(100);
    const { socket } = dial(webhook.url, head(body.length) + body.slice(0, 1000));
    await until(() => webhook.counters.heldBytes === 1000, 'half a body is held');
    socket.destroy();
    await until(() => webhook.counters.aborted === 1, 'it is noticed');
    expect(webhook.counters.heldBytes).toBe(0);
    expect(stored).toEqual([]);
  });

  test('that goes away while its batch is stored has it stored', async () => {
    const storing = gate();
    const servers: string[] = [];
    const { webhook } = await start({
      store: ({ server }) => {
        servers.push(server);
        return storing.passed;
      },
    });
    const body = eventList(2);
    const { socket } = dial(webhook.url, head(body.length).replace('/audit/v1/cp-1', '/') + body);
    socket.end();
    await until(() => webhook.counters.heldBytes === body.length, 'the body is there');
    socket.destroy();
    storing.pass();
    expect(servers).toEqual(['127.0.0.1']);
    await until(() => webhook.counters.batches === 1, 'it is stored');
    expect(webhook.counters.heldBytes).toBe(0);
  });

  test('whose body stalls is answered 408 and cut off', async () => {
    const { webhook } = await start({ limits: { stallMs: 50 } });
    const raw = dial(webhook.url, `${head(1000)}{"kind"`);
    await until(raw.closed, 'the connection is closed');
    expect(raw.said()).toMatch(/^HTTP\/1\.1 408 /);
    expect(webhook.counters.heldBytes).toBe(0);
  });

  test('whose body trickles is cut off when the request takes too long', async () => {
    const { webhook } = await start({ limits: { requestMs: 200, headersMs: 200, checkMs: 50 } });
    const raw = dial(webhook.url, head(100_000));
    const trickle = setInterval(() => raw.socket.write(' '), 10);
    try {
      await until(raw.closed, 'the connection is closed');
    } finally {
      clearInterval(trickle);
    }
    expect(webhook.counters).toMatchObject({ heldBytes: 0, aborted: 1 });
  });

  test.each([
    ['begins nothing', ''],
    ['never ends its headers', 'POST / HTTP/1.1\r\nhost: x\r\n'],
  ])('that %s is cut off', async (_what, text) => {
    const { webhook } = await start({ limits: { headersMs: 100, requestMs: 200, checkMs: 50 } });
    const raw = dial(webhook.url, text);
    await until(raw.closed, 'the connection is closed');
    expect(webhook.counters.requests).toBe(0);
  });

  test('with endless headers is refused', async () => {
    const { webhook } = await start();
    const raw = dial(webhook.url, `POST / HTTP/1.1\r\nhost: x\r\nx-much: ${'y'.repeat(20_000)}\r\n\r\n`);
    await until(raw.closed, 'the connection is closed');
    expect(raw.said()).toMatch(/^HTTP\/1\.1 431 /);
  });

  test('that sends on and on after a refusal is cut off', async () => {
    const { webhook } = await start({ maxBodyBytes: 1000, limits: { drainBytes: 100_000 } });
    const raw = dial(webhook.url, head(1_000_000_000));
    const more = setInterval(() => raw.socket.write(Buffer.alloc(50_000)), 5);
    try {
      await until(raw.closed, 'the connection is closed');
    } finally {
      clearInterval(more);
    }
    expect(raw.said()).toMatch(/^HTTP\/1\.1 413 /);
    expect(webhook.counters.peakBytes).toBe(0);
  });

  test('that announces much and sends little holds little', async () => {
    const { webhook } = await start();
    for (let count = 0; count < 10; count++) dial(webhook.url, `${head(30 * MEBI)}{`);
    await until(() => webhook.counters.heldBytes === 10, 'ten bytes are held');
    expect(await post(webhook.url, { body: eventList(1) })).toMatchObject({ status: 200 });
  });

  test('that opens many connections loses the idle ones and not those at work', async () => {
    const storing = gate();
    const { webhook } = await start({ limits: { connections: 4 }, store: () => storing.passed });
    const answer = post(webhook.url, { body: eventList(1) });
    await until(() => webhook.counters.heldBytes > 0, 'a batch is being stored');
    const idle = Array.from({ length: 20 }, () => dial(webhook.url, ''));
    await until(() => idle.filter(({ closed }) => closed()).length >= 17, 'most idle ones are closed');
    storing.pass();
    expect(await answer).toMatchObject({ status: 200 });
  });
});

describe('when as much is held as may be', () => {
  const body = eventList(10, { padding: 1000 });
  async function full() {
    const storing = gate();
    const started = await start({ maxBodyBytes: 20_000, maxInFlightBytes: 20_000, store: () => storing.passed });
    const first = post(started.webhook.url, { body });
    await until(() => started.webhook.counters.heldBytes === body.length, 'the first is held');
    return { ...started, storing, first };
  }

  test('more is refused by its length, before it is read', async () => {
    const { webhook, storing, first } = await full();
    const raw = dial(webhook.url, head(body.length));
    await until(() => raw.said() !== '', 'there is an answer');
    expect(raw.said()).toMatch(/^HTTP\/1\.1 429 .*\r\nretry-after: 1\r\n/is);
    storing.pass();
    expect(await first).toMatchObject({ status: 200 });
  });

  test('more is refused while it comes, and what was read of it is let go', async () => {
    const { webhook, storing, first } = await full();
    const second = await post(webhook.url, { body, chunked: true });
    expect(second).toMatchObject({ status: 429 });
    expect(second.headers['retry-after']).toBe('1');
    expect(webhook.counters).toMatchObject({ heldBytes: body.length });
    storing.pass();
    await first;
    expect(await post(webhook.url, { body, chunked: true })).toMatchObject({ status: 200 });
    expect(webhook.counters.heldBytes).toBe(0);
  });

  test('because storing hangs, senders are told to wait longer', async () => {
    const storing = gate();
    const { webhook } = await start({
      maxBodyBytes: 20_000,
      maxInFlightBytes: 20_000,
      storeTimeoutMs: 20,
      store: () => storing.passed,
    });
    expect(await post(webhook.url, { body })).toMatchObject({ status: 503 });
    const second = await post(webhook.url, { body });
    expect(second).toMatchObject({ status: 503 });
    expect(second.headers['retry-after']).toBe('3');
    storing.pass();
    await until(() => webhook.counters.heldBytes === 0, 'all is stored');
  });
});

describe('a flood', () => {
  test('of 600 MB against a slow store stays within its bound, and all of it arrives', async () => {
    const SENDERS = 24;
    const EACH = 5;
    const body = eventList(50, { padding: 100_000 });
    const most = 32 * MEBI;
    const seen = new Map<string, number>();
    const { webhook } = await start({
      maxInFlightBytes: most,
      maxBodyBytes: 8 * MEBI,
      store: async ({ server, body: { length } }) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        seen.set(server, (seen.get(server) ?? 0) + length);
      },
    });
    const before = process.memoryUsage.rss();
    let peak = 0;
    const watching = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 5);
    const agent = new Agent({ keepAlive: true });
    let refusals = 0;
    const bytes = Buffer.from(body);
    try {
      await Promise.all(
        Array.from({ length: SENDERS }, async (_, sender) => {
          for (let count = 0; count < EACH; ) {
            const { status } = await post(`${webhook.url}/audit/v1/cp-${sender}`, { body: bytes, agent });
            if (status === 200) count++;
            else {
              expect(status).toBe(429);
              refusals++;
              await new Promise((resolve) => setTimeout(resolve, 10));
            }
          }
        }),
      );
    } finally {
      clearInterval(watching);
      agent.destroy();
    }
    expect(refusals).toBeGreaterThan(0);
    expect([...seen.values()]).toEqual(Array.from({ length: SENDERS }, () => EACH * bytes.length));
    expect(webhook.counters.peakBytes).toBeLessThanOrEqual(most);
    expect(webhook.counters.heldBytes).toBe(0);
    // Both ends are in this process: what is held, what both of them have in sockets, and garbage not yet collected.
    expect((peak - before) / MEBI).toBeLessThan(250);
  });
});
