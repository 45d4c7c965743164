import { describe, expect, test } from '@jest/globals';
import { PairTotals } from '../../../src/correlate/requests/pair-totals.js';
import { pairUp } from '../../../src/correlate/requests/pairing.js';
import { MS, proxied, SEC, server, T0, type TestServer, UNAUTHORIZED } from '../kit.js';
import { halvesOf } from './halves.js';

function totalsOf(servers: readonly TestServer[]): PairTotals {
  const totals = new PairTotals();
  for (const head of halvesOf(servers).values()) for (const pair of pairUp(head).pairs) totals.add(pair);
  return totals;
}

describe('PairTotals', () => {
  test('adds up by route and code', () => {
    const [cp1, cp2] = [server('cp1'), server('cp2')];
    for (const code of [200, 200, 404]) proxied(cp1, cp2, T0 + code * SEC, { code, there: { code } });
    const all = [...totalsOf([cp1, cp2]).all()];
    expect(all.map(({ code, count, via }) => [code, count, via]).sort()).toEqual([
      [200, 2, '10.0.0.11'],
      [404, 1, '10.0.0.11'],
    ]);
    expect(all.find(({ code }) => code === 404)?.sourceNotFound.total).toBe(1);
  });

  test("the hop's time is the source's less the destination's; the clock difference is half of what is left over", () => {
    const [cp1, cp2] = [server('cp1'), server('cp2', { clock: 300 })];
    proxied(cp1, cp2, T0, { takes: 10 * MS, delay: 2 * MS });
    const [total] = totalsOf([cp1, cp2]).all();
    expect(total?.hop.quantile(0.5)).toBeCloseTo(4);
    expect(total?.skew.quantile(0.5)).toBeCloseTo(300);
  });

  test('a watch has no hop of its own', () => {
    const [cp1, cp2] = [server('cp1'), server('cp2')];
    proxied(cp1, cp2, T0, { verb: 'watch', stages: 'RSC' });
    const [total] = totalsOf([cp1, cp2]).all();
    expect([total?.count, total?.hop.count]).toEqual([1, 0]);
  });

  test('notes another user, but not an impersonated one, nor one that may still be', () => {
    const users = (options: Parameters<typeof proxied>[3]) => {
      const [cp1, cp2] = [server('cp1'), server('cp2')];
      proxied(cp1, cp2, T0, options);
      return [...totalsOf([cp1, cp2]).all()].flatMap((total) => total.otherUsers.names());
    };
    expect(users({ there: { username: 'front-proxy-client' } })).toEqual(['front-proxy-client']);
    expect(users({ impersonated: 'bob', there: { username: 'bob' } })).toEqual([]);
    expect(users({ impersonated: 'bob', stages: 'R', there: { username: 'bob', stages: 'RC' } })).toEqual([]);
    expect(users({ code: 401, there: { stages: 'S', user: {}, status: UNAUTHORIZED } })).toEqual([]);
  });

  test('a fork leaves the original alone', () => {
    const [cp1, cp2] = [server('cp1'), server('cp2')];
    proxied(cp1, cp2, T0);
    const totals = totalsOf([cp1, cp2]);
    const fork = totals.fork();
    for (const head of halvesOf([cp1, cp2]).values()) for (const pair of pairUp(head).pairs) fork.add(pair);
    expect([...totals.all()].map(({ count }) => count)).toEqual([1]);
    expect([...fork.all()].reduce((sum, { count }) => sum + count, 0)).toBe(2);
  });
});
