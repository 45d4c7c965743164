/** Clients that are slow, huge, broken or many, and the end of the server. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type HttpLimits, type HttpServer, openHttpServer } from '../../src/service/http/index.js';
import { dial, exchange, parseAnswer, readAll } from '../service/http/raw.js';
import { until } from '../until.js';

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n';
type Handle = (request: IncomingMessage, response: ServerResponse) => void;

let server: HttpServer | undefined;
async function open(limits: Partial<HttpLimits> = {}, handle: Handle = (_, response) => response.end('hello')) {
  const listen = { host: '127.0.0.1', port: 0 };
  server = await openHttpServer({ listen, what: 'the test', handle, limits });
  return server.origin;
}
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe('limits', () => {
  test('a request that never ends is ended, and told so', async () => {
    const url = await open({ requestMs: 150 });
    const answer = parseAnswer(await exchange(url, GET));
    expect(answer.status).toBe(408);
    expect(JSON.parse(answer.body)).toEqual({
      error: 'the request did not come to an end in time',
      advice: 'send it in one go',
    });
  });

  test('so is a connection that says nothing', async () => {
    const url = await open({ requestMs: 150 });
    expect(parseAnswer(await readAll(await dial(url))).status).toBe(408);
  });

  test('headers beyond the limit are refused', async () => {
    const url = await open({ headerBytes: 2048 });
    const answer = parseAnswer(await exchange(url, `${GET}X: ${'x'.repeat(8000)}\r\n\r\n`));
    expect([answer.status, JSON.parse(answer.body).error]).toEqual([431, 'the headers are too large']);
  });

  test('what is no HTTP is answered once and closed', async () => {
    const url = await open();
    const hello = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03';
    const answer = parseAnswer(await exchange(url, hello));
    expect([answer.status, JSON.parse(answer.body).advice]).toEqual([400, 'is https spoken where http is expected?']);
    expect(answer.head).toContain('connection: close');
  });

  test('an answer that nobody takes is given up', async () => {
    const large = Buffer.alloc(64 * 2 ** 20);
    let ended: Promise<unknown> | undefined;
    const url = await open({ answerMs: 150 }, (_, response) => {
      ended = once(response, 'close');
      response.end(large);
    });
    const socket = await dial(url);
    socket.pause();
    socket.write(`${GET}\r\n`);
    await once(socket, 'readable');
    await ended;
    expect((await readAll(socket.resume())).length).toBeLessThan(large.length);
  });

  test('idle connections make room for those who ask', async () => {
    const url = await open({ connections: 3 });
    const idle = await Promise.all(Array.from({ length: 3 }, () => dial(url)));
    const gone = Promise.race(idle.map((socket) => once(socket, 'close')));
    const answer = parseAnswer(await exchange(url, `${GET}Connection: close\r\n\r\n`));
    expect([answer.status, answer.body]).toEqual([200, 'hello']);
    await gone;
    for (const socket of idle) socket.destroy();
  });

  test('who is being answered is not sent away, who comes then is', async () => {
    const waiting: ServerResponse[] = [];
    const url = await open({ connections: 2 }, (_, response) => waiting.push(response));
    const asked = await Promise.all([dial(url), dial(url)]);
    const answers = asked.map(readAll);
    for (const socket of asked) socket.write(`${GET}Connection: close\r\n\r\n`);
    await until(() => waiting.length === 2);
    expect(await readAll(await dial(url))).toBe('');
    for (const response of waiting) response.end('late');
    for (const text of await Promise.all(answers)) expect(parseAnswer(text).body).toContain('late');
  });
});

describe('the end', () => {
  test('idle connections go at once, a running answer is finished, and nobody listens', async () => {
    let response: ServerResponse | undefined;
    const url = await open({}, (_, started) => {
      response = started;
    });
    const idle = readAll(await dial(url));
    const busy = await dial(url);
    const answer = readAll(busy);
    busy.write(`${GET}\r\n`);
    await until(() => response !== undefined);
    const closed = server?.close();
    await idle;
    await expect(dial(url)).rejects.toThrow();
    response?.end('done');
    expect(parseAnswer(await answer).body).toBe('done');
    await closed;
  });

  test('an answer that takes too long is cut', async () => {
    let started = false;
    const url = await open({ closeMs: 50 }, () => {
      started = true;
    });
    const answer = exchange(url, `${GET}\r\n`);
    await until(() => started);
    await server?.close();
    expect(await answer).toBe('');
  });

  test('closing twice is closing once', async () => {
    await open();
    await Promise.all([server?.close(), server?.close()]);
  });
});
