/** Whatever the file holds, it is a configuration or a list of mistakes with their places. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { ConfigError, parseConfig } from '../../src/config/parse-config.js';

const WORDS = [
  ...[
    'off',
    'auto',
    'plain',
    'latest',
    '12h',
    '5m',
    '1Mi',
    '64Gi',
    'audit',
    '/^a/',
    '/(/',
    '(?<server>.)',
    'fromEnv:X',
  ],
  ...['0.0.0.0:80', '8080', 'k:1', 'oauthbearer', 'none', 'cp1-*', '{a,b}', '', '2026-01-05', '__proto__', 'toString'],
];
const KEYS = [
  ...[
    'cluster',
    'kafka',
    'service',
    'listen',
    'outputs',
    'rules',
    'servers',
    'brokers',
    'topics',
    'group',
    'from',
    'tls',
  ],
  ...['sasl', 'mechanism', 'username', 'password', 'tokenFile', 'server', 'headers', 'key', 'topic', 'deadLetters'],
  ...['scaleOut', 'partitions', 'compression', 'window', 'drain', 'admin', 'token', 'webhook', 'address', 'cert'],
  ...['clientCa', 'maxBody', 'maxInFlight', 'slack', 'url', 'otlp', 'labels', 'constructor', '__proto__'],
];
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom(...WORDS),
    fc.oneof(fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 6 }),
  ),
}));

test('any values at any keys', () => {
  const file = fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 8 });
  fc.assert(
    fc.property(file, (given) => {
      expectPlaces(stringify(given));
    }),
    { numRuns: 500 },
  );
});

test('a right file with one value replaced', () => {
  const right = {
    kafka: { brokers: ['k:1'], topics: ['audit'], sasl: { mechanism: 'plain', username: 'u', password: 'fromEnv:P' } },
    service: { window: '1h' },
    listen: { admin: '0.0.0.0:80', token: 'fromEnv:T', webhook: { address: 8443, tls: { cert: 'c', key: 'k' } } },
  };
  const paths = pathsOf(right);
  expect(paths.length).toBeGreaterThan(15);
  fc.assert(
    fc.property(fc.constantFrom(...paths), value, (path, other) => {
      expectPlaces(stringify(replaced(right, path, other)));
    }),
    { numRuns: 500 },
  );
});

function expectPlaces(text: string): void {
  try {
    expect(parseConfig(text, 'skew.yaml').service.windowMs).toBeGreaterThanOrEqual(600_000);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.message.split('\n')) {
      expect(line).toMatch(/^skew\.yaml:\d+:\d+: \S/);
      // These would be words of the library.
      expect(line).not.toMatch(/Invalid (input|option|key|element|discriminator)|Too (small|big)|undefined/);
    }
  }
}

type Path = readonly string[];

function pathsOf(inner: unknown, path: Path = []): Path[] {
  if (typeof inner !== 'object' || inner === null) return [path];
  const below = Object.entries(inner).flatMap(([key, child]) => pathsOf(child, [...path, key]));
  return path.length === 0 ? below : [path, ...below];
}

function replaced(inner: unknown, [first, ...rest]: Path, other: unknown): unknown {
  if (first === undefined) return other;
  if (Array.isArray(inner))
    return inner.map((child, at) => (String(at) === first ? replaced(child, rest, other) : child));
  const entries = Object.entries((inner ?? {}) as Record<string, unknown>);
  return Object.fromEntries(entries.map(([key, child]) => [key, key === first ? replaced(child, rest, other) : child]));
}
