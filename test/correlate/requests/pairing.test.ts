/** Which requests of one Audit-ID are one proxied request: every shape that real servers leave behind. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { lastOf, type Pairing, pairUp } from '../../../src/correlate/requests/pairing.js';
import {
  CLIENT,
  MIN,
  MS,
  type ProxiedOptions,
  proxied,
  SEC,
  server,
  T0,
  type TestServer,
  UNAUTHORIZED,
} from '../kit.js';
import { halvesOf } from './halves.js';

function pairingOf(auditID: string, servers: readonly TestServer[], mixed = false): Pairing {
  const head = halvesOf(servers, mixed).get(auditID);
  if (head === undefined) throw new Error('no request');
  return pairUp(head);
}

/** Passes one request on and pairs what was logged of it; in words `source code → destination code`. */
function outcome(options: ProxiedOptions): string {
  const [cp1, cp2] = [server('cp1'), server('cp2')];
  const { pairs, single } = pairingOf(proxied(cp1, cp2, T0, options), [cp1, cp2]);
  const told = pairs.map(({ source, destination }) => {
    const names = [source, destination].map((half) => half.life.writer.input.name.slice(0, 3));
    return `${names[0]} ${source.finalCode} → ${names[1]} ${destination.finalCode}`;
  });
  return [...told, ...single.map((half) => `${half.life.writer.input.name.slice(0, 3)} ${half.finalCode} alone`)].join(
    '; ',
  );
}

const WATCH = { verb: 'watch', uri: '/apis/batch/v1/namespaces/shop/jobs?watch=true', takes: MIN };
const CUT = { metadata: {}, status: 'Failure', message: "APIServer panic'd: net/http: abort Handler", code: 500 };

describe('pairUp joins', () => {
  test.each<[string, ProxiedOptions, string]>([
    ['an answered request', {}, 'cp1 200 → cp2 200'],
    ['one whose RequestReceived the policy leaves out', { stages: 'C' }, 'cp1 200 → cp2 200'],
    ['one of which only RequestReceived was written', { stages: 'R' }, 'cp1 0 → cp2 0'],
    ['a watch that ended well', { ...WATCH, stages: 'RSC' }, 'cp1 200 → cp2 200'],
    [
      'a watch that was cut',
      { ...WATCH, stages: 'RSP', status: CUT, there: { stages: 'RSC', code: 200, status: { code: 200 } } },
      'cp1 500 → cp2 200',
    ],
    ['a watch that is still open', { ...WATCH, stages: 'RS' }, 'cp1 0 → cp2 0'],
    [
      'a rejected identity, one event without a user',
      { code: 401, there: { stages: 'S', user: {}, status: UNAUTHORIZED } },
      'cp1 401 → cp2 401',
    ],
    ['an answer of the destination that is no success', { code: 409, there: { code: 409 } }, 'cp1 409 → cp2 409'],
    [
      'a create, whose name only the destination knows',
      {
        verb: 'create',
        code: 201,
        there: { ref: { resource: 'jobs', apiGroup: 'batch', apiVersion: 'v1', namespace: 'shop', name: 'nightly' } },
      },
      'cp1 201 → cp2 201',
    ],
    [
      'a request that arrives 41 s after its 503',
      { code: 503, takes: 20 * MS, delay: 41 * SEC, there: { code: 500, takes: MS } },
      'cp1 503 → cp2 500',
    ],
    ['addresses behind an L7 balancer', { from: [CLIENT, '192.0.2.1'] }, 'cp1 200 → cp2 200'],
    [
      "a client on the source's own address",
      { from: ['10.0.0.11'], there: { from: ['10.0.0.11'] } },
      'cp1 200 → cp2 200',
    ],
    [
      'X-Real-Ip in another place',
      { from: ['203.0.113.9', CLIENT], there: { from: [CLIENT, '203.0.113.9', '10.0.0.11'] } },
      'cp1 200 → cp2 200',
    ],
    ['impersonation', { impersonated: 'bob', there: { username: 'bob' } }, 'cp1 200 → cp2 200'],
    [
      'another user at the destination',
      { there: { username: 'front-proxy-client', code: 403 }, code: 403 },
      'cp1 403 → cp2 403',
    ],
    [
      'a query that the destination sorted and escaped anew',
      {
        uri: '/apis/batch/v1/jobs?limit=5&labelSelector=a%20in%20(b,c)',
        there: { uri: '/apis/batch/v1/jobs?labelSelector=a+in+%28b%2Cc%29&limit=5' },
      },
      'cp1 200 → cp2 200',
    ],
    ['clocks that differ by minutes', { delay: -5 * MIN }, 'cp1 200 → cp2 200'],
  ])('%s', (_, options, expected) => {
    expect(outcome(options)).toBe(expected);
  });
});

describe('pairUp does not join', () => {
  test.each<[string, ProxiedOptions]>([
    ['another verb', { there: { verb: 'get' } }],
    ['another path', { there: { uri: '/apis/batch/v1/namespaces/other/jobs' } }],
    ['another query', { uri: '/apis/batch/v1/jobs?limit=5', there: { uri: '/apis/batch/v1/jobs?limit=6' } }],
    ['another resource', { there: { ref: { resource: 'cronjobs', apiGroup: 'batch', apiVersion: 'v1' } } }],
    ['another user agent', { there: { userAgent: 'curl/8.0' } }],
    ['a chain of addresses that does not continue', { there: { from: ['198.51.100.7', '10.0.0.11'] } }],
    ['two more addresses than the source has', { there: { from: [CLIENT, '198.51.100.7', '10.0.0.11'] } }],
    ['what came long before', { delay: -11 * MIN }],
    ['requests for no resource', { ref: null, uri: '/version', verb: 'get' }],
  ])('%s', (_, options) => {
    expect(outcome(options)).toBe('cp2 200 alone; cp1 200 alone'.split('; ').sort(byTime(options)).join('; '));
  });

  test('a source that reached nobody', () => {
    const cp1 = server('cp1');
    cp1.request(T0, { auditID: 'lonely', code: 503 });
    expect(pairingOf('lonely', [cp1])).toMatchObject({ pairs: [], single: [{ finalCode: 503 }] });
  });

  test('two requests in the log of one server', () => {
    const cp1 = server('cp1');
    cp1.request(T0, { auditID: 'forged' }).request(T0 + MS, { auditID: 'forged', from: [CLIENT, '10.0.0.12'] });
    expect(pairingOf('forged', [cp1]).pairs).toHaveLength(0);
  });
});

function byTime({ delay = 2 * MS }: ProxiedOptions): (a: string, b: string) => number {
  return delay < 0 ? (a, b) => b.localeCompare(a) : (a, b) => a.localeCompare(b);
}

describe('a reused Audit-ID', () => {
  test('leaves each pair its own halves, the nearest first', () => {
    const [cp1, cp2] = [server('cp1'), server('cp2')];
    for (const at of [0, 1, 2]) proxied(cp1, cp2, T0 + at * SEC, { auditID: 'again' });
    cp1.request(T0 + MIN, { auditID: 'again' });
    const { pairs, single } = pairingOf('again', [cp1, cp2]);
    expect(pairs.map(({ source, destination }) => destination.receivedUs - source.receivedUs)).toEqual([
      2 * MS,
      2 * MS,
      2 * MS,
    ]);
    expect(single.map((half) => half.receivedUs)).toEqual([T0 + MIN]);
  });

  test('of two clients on two servers makes no pair', () => {
    const [cp1, cp2] = [server('cp1'), server('cp2')];
    cp1.request(T0, { auditID: 'same', from: ['192.0.2.1'] });
    cp2.request(T0 + MS, { auditID: 'same', from: ['192.0.2.2'] });
    expect(pairingOf('same', [cp1, cp2]).pairs).toHaveLength(0);
  });

  test('the order in which requests were logged means nothing', () => {
    const arrival = fc.record({
      at: fc.integer({ min: 0, max: 4 }),
      via: fc.constantFrom('none', 'pair'),
      client: fc.constantFrom('a', 'b'),
    });
    fc.assert(
      fc.property(fc.array(arrival, { minLength: 1, maxLength: 6 }), fc.boolean(), (list, swap) => {
        const [cp1, cp2] = [server('cp1'), server('cp2')];
        for (const { at, via, client } of list) {
          const options = { auditID: 'x', userAgent: client };
          if (via === 'pair') proxied(cp1, cp2, T0 + at * SEC, options);
          else cp1.request(T0 + at * SEC, options);
        }
        const told = ({ pairs, single }: Pairing) => [
          pairs.map((p) => [p.source.receivedUs, p.destination.receivedUs, p.source.userAgent, p.via]).sort(),
          single.map((half) => [half.receivedUs, half.userAgent]).sort(),
        ];
        const forth = told(pairingOf('x', [cp1, cp2]));
        const back = told(pairingOf('x', swap ? [cp2, cp1] : [cp1, cp2]));
        expect(back).toEqual(forth);
      }),
      { numRuns: 50 },
    );
  });
});

test('in a stream that several servers write in turns one writer may hold both halves', () => {
  const [cp1, cp2] = [server('cp1'), server('cp2')];
  expect(pairingOf(proxied(cp1, cp2, T0), [cp1, cp2], true).pairs).toHaveLength(1);
});

test('the last address is the one that cannot be forged', () => {
  expect(['10.0.0.1', '1.1.1.1,::1,10.0.0.1', ''].map(lastOf)).toEqual(['10.0.0.1', '10.0.0.1', '']);
});
