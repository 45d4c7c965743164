import { describe, expect, test } from '@jest/globals';
import { reread } from '../../../src/analysis/input-reader.js';
import type { Half } from '../../../src/correlate/requests/half.js';
import { pairUp } from '../../../src/correlate/requests/pairing.js';
import { RequestTable, type Taken } from '../../../src/correlate/requests/request-table.js';
import { Writers } from '../../../src/correlate/writer.js';
import type { AuditEvent } from '../../../src/model/record.js';
import { events, MIN, MS, proxied, refOf, SEC, server, T0, type TestServer } from '../kit.js';

/** A table with the writers of two servers; everything in it that is judged is noted. */
function table() {
  const writers = new Writers();
  const settled: Half[] = [];
  const alone: Half[] = [];
  const requests = new RequestTable({
    settled: (first) => settled.push(first),
    alone: (half) => alone.push(half),
    reread,
    lifeOf: (id) => writers.lives[id],
  });
  const take = (event: AuditEvent, writer = 0, keep = false): Taken =>
    requests.take(event, writers.of(refOf(`cp${writer + 1}.log`, writer)).current, 1, keep);
  return { requests, settled, alone, take };
}

/** Feeds what the servers wrote, in time order over all. */
function feed(take: (event: AuditEvent, writer?: number) => Taken, servers: readonly TestServer[]): Taken[] {
  const all = servers.flatMap((s, writer) => events(s.audit).map((event) => ({ event, writer })));
  return all.sort((a, b) => a.event.timeUs - b.event.timeUs).map(({ event, writer }) => take(event, writer));
}

describe('RequestTable', () => {
  test('revives what was only remembered by its place when another server writes under the same Audit-ID', () => {
    const [cp1, cp2] = [server('cp1'), server('cp2')];
    const auditID = proxied(cp1, cp2, T0);
    const { requests, take } = table();
    expect(feed(take, [cp1, cp2])).toEqual(['new', 'new', 'stage', 'stage']);
    const pairing = [...requests.pending()].map(pairUp);
    expect(pairing).toMatchObject([
      { pairs: [{ source: { auditID, code: 200 }, destination: { auditID, code: 200 } }] },
    ]);
  });

  test('an ordinary request costs no object', () => {
    const { requests, take } = table();
    feed(take, [server('cp1').request(T0)]);
    expect([...requests.pending()]).toHaveLength(0);
    expect(requests.head('anything')).toBeUndefined();
  });

  test.each([
    ['remembered by place', 200, false],
    ['kept because it failed', 503, false],
    ['kept on demand', 404, true],
  ])('a request twice is a duplicate: %s', (_, code, keep) => {
    const { take } = table();
    const once = events(server('cp1').request(T0, { code }).audit);
    for (const event of once) expect(take(event, 0, keep)).not.toBe('duplicate');
    for (const event of events(server('cp1').request(T0, { code }).audit))
      expect(take(event, 0, keep)).toBe('duplicate');
  });

  test('a failed request waits for its late arrival', () => {
    const [cp1, cp2] = [server('cp1'), server('cp2')];
    proxied(cp1, cp2, T0, { code: 503, delay: 41 * SEC, there: { code: 500 } });
    for (let at = 1; at < 40; at += 1) cp1.request(T0 + at * SEC);
    const { requests, take } = table();
    feed(take, [cp1, cp2]);
    expect([...requests.pending()].flatMap((first) => pairUp(first).pairs)).toHaveLength(1);
  });

  test('answered groups are settled once, two generations later; open ones stay for two hours', () => {
    const [cp1, cp2] = [server('cp1'), server('cp2')];
    proxied(cp1, cp2, T0, { auditID: 'answered' });
    proxied(cp1, cp2, T0, { auditID: 'open', verb: 'watch', stages: 'RS' });
    for (let at = 1; at <= 5; at += 1) cp1.request(T0 + at * 6 * MIN);
    const { requests, settled, take } = table();
    feed(take, [cp1, cp2]);
    expect(settled.map((half) => half.auditID)).toEqual(['answered']);
    expect([...requests.pending()].map((half) => half.auditID)).toEqual(['open']);
    for (let at = 1; at <= 30; at += 1)
      for (const event of events(server('cp3').request(T0 + at * 10 * MIN).audit)) take(event);
    expect(settled.map((half) => half.auditID)).toEqual(['answered', 'open']);
  });

  test('a watch that ends an hour later is still the same pair', () => {
    const [cp1, cp2] = [server('cp1'), server('cp2')];
    proxied(cp1, cp2, T0, { verb: 'watch', takes: 60 * MIN, stages: 'RSC' });
    for (let at = 1; at < 60; at += 1) cp1.request(T0 + at * MIN);
    const { requests, take } = table();
    feed(take, [cp1, cp2]);
    const [pair] = [...requests.pending()].flatMap((first) => pairUp(first).pairs);
    expect([pair?.source.finalCode, pair?.destination.finalCode]).toEqual([200, 200]);
  });

  test('too many requests under one Audit-ID are counted, not kept', () => {
    const { requests, take } = table();
    const cp1 = server('cp1');
    for (let at = 0; at < 40; at += 1) cp1.request(T0 + at * SEC, { auditID: 'reused', stages: 'C' });
    expect(feed(take, [cp1]).filter((taken) => taken === 'overflow')).toHaveLength(requests.overflow);
    expect(requests.overflow).toBeGreaterThan(20);
  });

  test('the end judges everything that waits', () => {
    const [cp1, cp2] = [server('cp1'), server('cp2')];
    proxied(cp1, cp2, T0, { auditID: 'pair' });
    cp1.request(T0 + MS, { auditID: 'failed', code: 503 });
    const { requests, settled, alone, take } = table();
    feed(take, [cp1, cp2]);
    requests.end();
    expect(settled.map((half) => half.auditID)).toEqual(['pair']);
    expect(alone.map((half) => half.auditID)).toEqual(['failed']);
  });
});
