/** Paths, methods and bodies that nobody in good faith sends. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AdminServer } from '../../../src/service/http/index.js';
import { FakeView } from './fake-view.js';
import { exchange, parseAnswer } from './raw.js';
import { serve } from './serve.js';

let admin: AdminServer;
beforeAll(async () => {
  admin = await serve(new FakeView());
});
afterAll(() => admin.close());

const send = async (line: string, headers = '') => {
  const text = `${line} HTTP/1.1\r\nHost: localhost\r\n${headers}Connection: close\r\n\r\n`;
  return parseAnswer(await exchange(admin.url, text));
};

describe('paths', () => {
  test.each([
    '/assets/../files.ts',
    '/assets/%2e%2e/files.ts',
    '/assets/..%2ffiles.ts',
    '/assets/..\\files.ts',
    '/assets/....//files.ts',
    '/assets//etc/passwd',
    '/assets/tsconfig.json',
    '/assets/main.js%00.css',
    '/assets/',
    '/assets',
    '/index.html',
    '//',
    '/./',
    '/API/v1/status',
    '/api/v1/status/',
    '/api/v1/constructor',
    '/__proto__',
    'http://evil.example/livez',
    '*',
  ])('%s is nowhere', async (path) => {
    const { status, body } = await send(`GET ${path}`);
    expect([status, JSON.parse(body).error]).toEqual([404, 'nothing is here']);
    expect(body).not.toContain('import ');
  });

  test('a long one is refused', async () => {
    const { status, body } = await send(`GET /${'a'.repeat(4000)}`);
    expect([status, JSON.parse(body)]).toEqual([
      414,
      { error: 'the address is too long', advice: 'send at most 2048 characters of path and query' },
    ]);
  });

  test('what is asked for is not said back unbounded, nor as markup', async () => {
    const { status, head, body } = await send(`GET /api/v1/status?${'<script>'.repeat(100)}=1`);
    expect(status).toBe(400);
    expect(head).toContain('content-type: application/json');
    expect(body.length).toBeLessThan(200);
  });
});

describe('methods', () => {
  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])('%s changes nothing', async (method) => {
    for (const path of ['/', '/api/v1/status', '/metrics', '/livez', '/nowhere']) {
      const { status, head, body } = await send(`${method} ${path}`);
      expect([path, status]).toEqual([path, 405]);
      expect(head).toContain('allow: get, head');
      expect(JSON.parse(body).advice).toContain('use GET or HEAD');
    }
  });

  test('CONNECT opens no way', async () => {
    expect(
      (await exchange(admin.url, 'CONNECT evil.example:80 HTTP/1.1\r\nHost: localhost\r\n\r\n')).slice(0, 12),
    ).not.toBe('HTTP/1.1 200');
  });

  test('an upgrade is a plain request', async () => {
    const { status } = await send('GET /livez', 'Upgrade: websocket\r\n');
    expect(status).toBe(200);
  });
});

describe('bodies', () => {
  test.each([
    ['of a length', 'Content-Length: 5\r\n'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n'],
  ])('%s are not read', async (_, headers) => {
    const { status, head } = await send('GET /livez', headers);
    expect(status).toBe(413);
    expect(head).toContain('connection: close');
  });

  test('of no length are none', async () => {
    expect((await send('GET /livez', 'Content-Length: 0\r\n')).status).toBe(200);
  });

  test('two lengths are no request', async () => {
    expect((await send('GET /livez', 'Content-Length: 0\r\nTransfer-Encoding: chunked\r\n')).status).toBe(400);
  });
});
