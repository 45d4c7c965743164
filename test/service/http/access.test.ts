/** Who is let in: tokens, client certificates, names of hosts. */
import { request as httpsRequest } from 'node:https';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { AdminOptions, AdminServer } from '../../../src/service/http/index.js';
import { makeCertificates } from '../../outputs/delivery/certificates.js';
import { FakeView } from './fake-view.js';
import { exchange, parseAnswer } from './raw.js';
import { serve } from './serve.js';

const TOKEN = 'correct-horse-battery-staple';
const view = new FakeView();
view.unready = ['the broker kafka-1 is away'];

let admin: AdminServer | undefined;
async function open(options: Partial<AdminOptions>): Promise<AdminServer> {
  admin = await serve(view, options);
  return admin;
}
afterEach(async () => {
  await admin?.close();
  admin = undefined;
});

describe('with a token', () => {
  const ask = async (path: string, authorization?: string) => {
    const { url } = admin ?? (await open({ token: TOKEN }));
    return fetch(new URL(path, url), authorization === undefined ? {} : { headers: { authorization } });
  };

  test.each(['metrics', 'api/v1/status', 'api/v1/findings', 'nowhere'])('/%s wants it', async (path) => {
    const none = await ask(path);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="skewscope"']);
    expect(await none.json()).toMatchObject({ error: 'a token is needed' });
    for (const wrong of ['Bearer wrong', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, 'Bearer', `Basic ${TOKEN}`]) {
      const answer = await ask(path, wrong);
      const text = await answer.text();
      expect([wrong, answer.status]).toEqual([wrong, 401]);
      expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
      expect(text).not.toContain(TOKEN);
    }
    expect((await ask(path, `Bearer ${TOKEN}`)).status).not.toBe(401);
    expect((await ask(path, `bearer  ${TOKEN}`)).status).not.toBe(401);
  });

  test('health is open, its reasons are not', async () => {
    const stranger = await ask('readyz?verbose');
    expect([stranger.status, await stranger.text()]).toEqual([503, 'not ready\n']);
    const friend = await ask('readyz', `Bearer ${TOKEN}`);
    expect(await friend.text()).toBe('not ready: the broker kafka-1 is away\n');
    expect((await ask('livez')).status).toBe(200);
  });

  test('the page loads without it and knows that it must ask', async () => {
    const page = await ask('');
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(text).toContain('<meta name="skewscope-access" content="token">');
    expect(text).not.toContain(TOKEN);
    expect((await ask('assets/main.js')).status).toBe(200);
  });

  test('without one the page does not ask', async () => {
    const { url } = await open({});
    expect(await (await fetch(url)).text()).toContain('<meta name="skewscope-access" content="open">');
  });
});

describe('names of hosts, on loopback', () => {
  const status = async (host: string) => {
    const { url } = admin ?? (await open({}));
    const header = host === '' ? '' : `Host: ${host}\r\n`;
    return parseAnswer(await exchange(url, `GET /api/v1/status HTTP/1.1\r\n${header}Connection: close\r\n\r\n`)).status;
  };

  test.each(['127.0.0.1:9465', 'localhost', 'LOCALHOST:1', '[::1]:80', 'skewscope.localhost:8080', '127.0.0.1'])(
    '%s is this machine',
    async (host) => {
      expect(await status(host)).toBe(200);
    },
  );

  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1', 'a b', '127.0.0.1@evil'])(
    '%s may be another page that names this machine',
    async (host) => {
      expect(await status(host)).toBe(421);
    },
  );

  test('none at all is no request', async () => {
    expect(await status('')).toBe(400);
  });

  test('on an address for everyone any name is right', async () => {
    await open({ listen: { host: '0.0.0.0', port: 0 } });
    expect(await status('skewscope.example:9465')).toBe(200);
  });
});

describe('over TLS', () => {
  const made = makeCertificates();
  afterEach(() => made.drop());

  test('with a CA only clients that it signed are answered', async () => {
    const { url } = await open({ tls: { ...made.server, ca: made.ca } });
    expect(url).toMatch(/^https:/);
    const livez = (client: object) =>
      new Promise<number | undefined>((resolve, reject) => {
        const options = { ca: made.ca, agent: false, ...client };
        const sent = httpsRequest(new URL('livez', url), options, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        sent.on('error', reject);
        sent.end();
      });
    expect(await livez(made.client)).toBe(200);
    await expect(livez({})).rejects.toThrow();
  });

  test('a key that is none is said without a word of it', async () => {
    const broken = open({ tls: { cert: made.server.cert, key: 'no key but a secret' } });
    await expect(broken).rejects.toThrow('the admin page cannot be served: certificate, key or CA is no PEM');
    await expect(broken).rejects.not.toThrow('secret');
  });
});
