import { expect, test } from '@jest/globals';
import { listenHostRemarks } from '../../../src/config/check/listen-hosts.js';
import { parseConfig } from '../../../src/config/parse-config.js';

const KAFKA = 'kafka: {brokers: ["kafka-1:9092"], topics: [audit]}\n';

function fails(code: string) {
  return async () => {
    throw Object.assign(new Error('no'), { code });
  };
}

test('a name that nobody knows is a mistake, as the start would say; names that are not answered for are none', async () => {
  const text = `${KAFKA}listen: {admin: "skew.invalid:80", token: fromEnv:T, webhook: {address: "hook.invalid:81", token: fromEnv:T}}`;
  const config = parseConfig(text, '/x/skew.yaml');
  expect(await listenHostRemarks(config, fails('ENOTFOUND'))).toMatchObject([
    { level: 'mistake', path: ['listen', 'admin'], message: expect.stringContaining('skew.invalid') },
    { level: 'mistake', path: ['listen', 'webhook', 'address'], message: expect.stringContaining('ENOTFOUND') },
  ]);
  expect(await listenHostRemarks(config, fails('EAI_AGAIN'))).toMatchObject([
    { level: 'warning' },
    { level: 'warning' },
  ]);
  expect(await listenHostRemarks(config, async () => '192.0.2.1')).toEqual([]);
});

test('addresses and this machine itself are not asked for', async () => {
  for (const admin of ['8080', '"[::1]:8080"', 'localhost:8080', '127.0.0.1:8080', 'off']) {
    const config = parseConfig(`${KAFKA}listen: {admin: ${admin}}`, '/x/skew.yaml');
    expect(await listenHostRemarks(config, fails('ENOTFOUND'))).toEqual([]);
  }
});
