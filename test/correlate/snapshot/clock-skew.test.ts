import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CLIENT, correlate, inputsOf, MIN, observe, only, proxied, SEC, server, T0, type TestServer } from '../kit.js';

/** Servers with clocks that are ahead by so many milliseconds; each passes requests to each later one, and back. */
function running(
  clocks: Readonly<Record<string, number>>,
  passes = (_from: string, _to: string) => true,
): TestServer[] {
  const servers = Object.entries(clocks).map(([name, clock]) => server(name, { clock }).boots(T0));
  let at = T0 + 30 * SEC;
  for (const source of servers)
    for (const destination of servers) {
      if (source === destination || !passes(source.name, destination.name)) continue;
      for (let n = 0; n < 6; n += 1, at += 100_000) proxied(source, destination, at);
    }
  return servers;
}

const skewsOf = (servers: readonly TestServer[]) => only(observe(servers), 'clock-skew');

test('two servers are compared half of the way there and back; which is wrong is not said', () => {
  const found = skewsOf(running({ cp1: 0, cp2: 2400 }));
  expect(found).toMatchObject([{ server: null, servers: ['cp2'], others: ['cp1'], skewMs: 2400, count: 12 }]);
  expect(found[0]?.edges).toEqual([
    { source: 'cp1', destination: 'cp2' },
    { source: 'cp2', destination: 'cp1' },
  ]);
});

test('clocks that agree are not spoken of', () => {
  expect(skewsOf(running({ cp1: 0, cp2: 40, cp3: -40 }))).toEqual([]);
});

describe.each([90_000, -90_000])('one clock of five that is off by %i ms', (clock) => {
  const found = skewsOf(running({ cp1: 0, cp2: 0, cp3: clock, cp4: 0, cp5: 0 }));

  test('is one observation, about its server, with all calls from it and to it', () => {
    expect(found).toMatchObject([{ server: 'cp3', others: ['cp1', 'cp2', 'cp4', 'cp5'], skewMs: clock }]);
    expect(found[0]?.edges).toHaveLength(8);
  });
});

test('two clocks that are off alike are two observations, and what they passed to each other is in none', () => {
  const found = skewsOf(running({ cp1: 0, cp2: 0, cp3: 0, cp4: 3000, cp5: 3000 }));
  expect(found).toMatchObject([
    { server: 'cp4', skewMs: 3000 },
    { server: 'cp5', skewMs: 3000 },
  ]);
  expect(found.flatMap(({ edges }) => edges)).not.toContainEqual({ source: 'cp4', destination: 'cp5' });
});

test('two clocks against two are one observation about none of them', () => {
  expect(skewsOf(running({ cp1: 0, cp2: 0, cp3: 3000, cp4: 3000 }))).toMatchObject([
    { server: null, servers: ['cp3', 'cp4'], others: ['cp1', 'cp2'], skewMs: 3000 },
  ]);
});

test('servers that passed each other nothing are compared over a third', () => {
  const around = (from: string, to: string) => from === 'cp1' || to === 'cp1';
  expect(skewsOf(running({ cp1: 5000, cp2: 0, cp3: 0 }, around))).toMatchObject([
    { server: 'cp1', others: ['cp2', 'cp3'], skewMs: 5000 },
  ]);
});

test('a clock that is set while requests go on is told by the calls that show it', () => {
  const servers = running({ cp1: 0, cp2: 0, cp3: 0 }, (from, to) => from + to !== 'cp1cp3' && from + to !== 'cp3cp1');
  const [cp1, , cp3] = servers;
  if (cp1 === undefined || cp3 === undefined) throw new Error('no servers');
  for (let n = 0; n < 6; n += 1) {
    const auditID = `set-${n}`;
    cp1.request(T0 + MIN + n * SEC, { auditID, takes: 10_000 });
    cp3.request(T0 + MIN + n * SEC + 700_000, { auditID, takes: 6_000, from: [CLIENT, cp1.ip] });
  }
  expect(skewsOf(servers)).toMatchObject([{ server: null, servers: ['cp3'], others: ['cp1'] }]);
});

test('the order of the inputs changes nothing', () => {
  const inputs = inputsOf(running({ cp1: 0, cp2: 2000, cp3: 0, cp4: -700 }));
  const expected = only(correlate(inputs), 'clock-skew');
  expect(expected.map(({ server: name }) => name).sort()).toEqual(['cp2', 'cp4']);
  fc.assert(
    fc.property(fc.shuffledSubarray(inputs, { minLength: inputs.length }), (shuffled) => {
      expect(only(correlate(shuffled), 'clock-skew')).toEqual(expected);
    }),
    { numRuns: 10 },
  );
});
