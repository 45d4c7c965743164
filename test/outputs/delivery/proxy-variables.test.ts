import { describe, expect, test } from '@jest/globals';
import { proxyFor } from '../../../src/outputs/delivery/proxy-variables.js';
import { OutputError } from '../../../src/outputs/output.js';

const BOTH = { HTTPS_PROXY: 'http://secure:3128', HTTP_PROXY: 'http://plain:3128' };
const way = (url: string, env: Record<string, string>) => proxyFor(new URL(url), env)?.host;

test.each<[string, Record<string, string>, string | undefined]>([
  ['https://hooks.example', BOTH, 'secure:3128'],
  ['http://hooks.example', BOTH, 'plain:3128'],
  ['https://hooks.example', { HTTP_PROXY: 'http://plain:3128' }, undefined],
  ['https://hooks.example', { ALL_PROXY: 'all:1' }, 'all:1'],
  ['https://hooks.example', { ...BOTH, https_proxy: 'lower:3128' }, 'lower:3128'],
  ['https://hooks.example', { HTTPS_PROXY: ' ' }, undefined],
  ['https://hooks.example', {}, undefined],
])('%s with %j goes by way of %s', (url, env, host) => expect(way(url, env)).toBe(host));

test.each([
  'http://localhost:9093',
  'https://a.localhost',
  'http://127.0.0.1',
  'http://127.9.9.9:1',
  'http://[::1]:4318',
])('%s is never proxied', (url) => expect(way(url, BOTH)).toBeUndefined());

describe('NO_PROXY', () => {
  test.each<[string, string, boolean]>([
    ['*', 'http://any.example', true],
    ['example.com', 'http://example.com', true],
    ['example.com', 'http://a.example.com', true],
    ['.example.com', 'http://a.Example.com', true],
    ['*.example.com', 'http://a.example.com', true],
    ['example.com', 'http://notexample.com', false],
    ['other, example.com', 'http://example.com', true],
    ['example.com:8080', 'http://example.com:8080', true],
    ['example.com:8080', 'http://example.com', false],
    ['example.com:443', 'https://example.com', true],
    ['10.0.0.5', 'http://10.0.0.5', true],
    ['0.0.5', 'http://10.0.0.5', false],
    ['10.0.0.0/8', 'http://10.200.1.1', true],
    ['10.0.0.0/8', 'http://11.0.0.1', false],
    ['10.0.0.0/99', 'http://10.0.0.1', false],
    ['fd00::/8', 'http://[fd00::1]:80', true],
    ['[fd00::1]:80', 'http://[fd00::1]', true],
    ['fd00::1', 'http://[fd00::1]', true],
    ['', 'http://example.com', false],
  ])('%s excepts %s: %s', (list, url, excepted) => {
    expect(way(url, { ...BOTH, NO_PROXY: list })).toBe(excepted ? undefined : way(url, BOTH));
  });
});

test.each(['socks5://p:1080', 'http://', 'http://p:99999'])(
  '%s is a mistake that is told without its value',
  (value) => {
    const told = () => proxyFor(new URL('http://x.example'), { http_proxy: value });
    expect(told).toThrow(OutputError);
    expect(told).toThrow(/^http_proxy is no proxy that is spoken here; write it as http:\/\/HOST:PORT$/);
  },
);
