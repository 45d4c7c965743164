/** An apiserver's own requests, its peers' fetches, and a peer's informers that come over the peer's proxy. */
import { describe, expect, test } from '@jest/globals';
import { isLoopbackAddress, OwnClient } from '../../../src/correlate/identity/own-client.js';
import {
  cluster,
  correlate,
  events,
  inputsOf,
  MIN,
  only,
  PEER,
  proxied,
  SEC,
  server,
  T0,
  type TestServer,
  textOf,
} from '../kit.js';

/** Verdicts on the events of a server, in their order. */
function verdicts(of: TestServer): boolean[] {
  const own = new OwnClient();
  return events(of.audit).map((event) => own.isSender(event));
}

/** As the own client of `source` would be at a peer that it is passed on to. */
function informerOf(source: TestServer, uid: string) {
  return {
    user: { username: 'system:apiserver', groups: ['system:authenticated', 'system:masters'], ...(uid && { uid }) },
    userAgent: 'kube-apiserver/v1.36.3 (linux/amd64) kubernetes/0123456',
    from: [source.ip],
  };
}

describe('OwnClient', () => {
  test('knows its own from peers that fetch discovery', () => {
    const cp1 = server('cp1').boots(T0, { until: T0 });
    cp1.request(T0 + MIN, { verb: 'get', uri: '/apis', ref: null, ...PEER, from: ['10.0.0.12'] });
    cp1.request(T0 + MIN, { user: { ...PEER.user, uid: 'system:apiserver' }, from: ['10.0.0.12'] });
    cp1.request(T0 + MIN);
    expect(verdicts(cp1).slice(0, -6)).not.toContain(false);
    expect(verdicts(cp1).slice(-6)).not.toContain(true);
  });

  test.each(['', 'b7c1'])("knows a peer's informers, with uid %j", (uid) => {
    const [cp1, cp2] = [server('cp1').boots(T0, { until: T0 }), server('cp2')];
    cp1.request(T0 + MIN, { ...informerOf(cp2, uid), from: ['::1', cp2.ip] });
    expect(verdicts(cp1).slice(-2)).toEqual([false, false]);
  });

  test('knows them where all servers listen on one address only, by what no proxy passes on', () => {
    const [cp1, cp2] = [server('cp1'), server('cp2')];
    const itself = { ...informerOf(cp1, 'a1'), stages: 'C' };
    cp1.request(T0, { ...informerOf(cp2, 'b7'), stages: 'C' });
    cp1.request(T0 + SEC, itself);
    cp1.request(T0 + 2 * SEC, { ...itself, uri: '/readyz', ref: null });
    cp1.request(T0 + 3 * SEC, itself);
    cp1.request(T0 + 4 * SEC, { ...informerOf(cp2, 'b7'), stages: 'C' });
    expect(verdicts(cp1)).toEqual([false, false, true, true, false]);
  });
});

test.each(['', 'passed on'])("a peer's informers are proxied requests, and no second writer; uid %j", (uid) => {
  const [cp1, cp2] = cluster(['cp1', 'cp2']) as [TestServer, TestServer];
  for (const at of [30, 60, 90]) {
    const own = { ...informerOf(cp1, cp1.uid), from: ['::1'] };
    const there = informerOf(cp1, uid === '' ? '' : cp1.uid);
    proxied(cp1, cp2, T0 + at * SEC, { ...own, there: { ...there, from: ['::1', cp1.ip] } });
  }
  const snapshot = correlate(inputsOf([cp1, cp2]));
  expect(snapshot.proxied.total).toBe(3);
  expect(snapshot.servers.map(({ name }) => name)).toEqual(['cp1', 'cp2']);
  for (const type of ['server-log-missing', 'audit-id-reuse'] as const) expect(only(snapshot, type)).toEqual([]);
});

test('where servers write by turns, a request that is passed on reuses no Audit-ID', () => {
  const [cp1, cp2] = cluster(['cp1', 'cp2']) as [TestServer, TestServer];
  for (let at = 2; at < 60; at += 4) proxied(cp1, cp2, T0 + at * SEC);
  const content = textOf([...cp1.audit, ...cp2.audit]);
  expect(only(correlate([{ name: 'both.log', content }]), 'audit-id-reuse')).toEqual([]);
});

test('loopback addresses', () => {
  expect(['127.0.0.1', '::1', '10.0.0.1', '1270.0.0.1', ''].map(isLoopbackAddress)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
