import { describe, expect, test } from '@jest/globals';
import {
  cluster,
  correlate,
  failsToLearn,
  inputsOf,
  learns,
  leaseObject,
  MIN,
  observe,
  only,
  PEER,
  proxied,
  SEC,
  type ServerOptions,
  server,
  T0,
  type TestServer,
} from '../kit.js';

/** Lease bodies are left out, as a policy at level Metadata does. */
function withoutBodies({ audit }: TestServer): void {
  for (const [at, line] of audit.entries()) {
    const event = JSON.parse(line.text);
    delete event.requestObject;
    audit[at] = { ...line, text: JSON.stringify(event) };
  }
}

function addresses(servers: readonly TestServer[], which: 'all' | 'audit' | 'log' = 'audit') {
  return Object.fromEntries(observe(servers, which).servers.map((s) => [s.name, s.addresses]));
}

/** Servers whose leases have no body, as with a policy at level Metadata. */
function bodiless(names: readonly string[], options: ServerOptions = {}): TestServer[] {
  const servers = names.map((name) => server(name, { advertises: '', ...options }).boots(T0, { until: T0 + 3 * MIN }));
  for (const a of servers) for (const b of servers) if (a !== b) learns(a, b, T0 + 15 * SEC);
  return servers;
}

test('a server of which no records are here has the address that its peers dial, unless another one advertises it', () => {
  const UNTRUSTED = 'x509: certificate signed by unknown authority';
  const [cp1, cp2] = [server('cp1').boots(T0), server('cp2')];
  for (const at of [20, 21]) failsToLearn(cp1, cp2, T0 + at * SEC, UNTRUSTED);
  expect(addresses([cp1], 'log')).toEqual({ cp1: ['10.0.0.11'], [cp2.identity]: ['10.0.0.12'] });
  const [cp3, mistaken] = [server('cp3').boots(T0), server('cp4', { advertises: '10.0.0.13:6443' })];
  for (const at of [20, 21]) failsToLearn(cp3, mistaken, T0 + at * SEC, UNTRUSTED);
  expect(addresses([cp3], 'log')).toEqual({ cp3: ['10.0.0.13'], [mistaken.identity]: [] });
});

describe('an address belongs to', () => {
  test('the server that advertises it and that no peer sees elsewhere', () => {
    expect(addresses(cluster(['cp1', 'cp2', 'cp3']))).toEqual({
      cp1: ['10.0.0.11'],
      cp2: ['10.0.0.12'],
      cp3: ['10.0.0.13'],
    });
  });

  test('the one server that does not see it, where leases tell nothing', () => {
    expect(addresses(bodiless(['cp1', 'cp2', 'cp3']))).toEqual({
      cp1: ['10.0.0.11'],
      cp2: ['10.0.0.12'],
      cp3: ['10.0.0.13'],
    });
  });

  test('the source of its pairs, when nobody contradicts', () => {
    const [cp1, cp2] = [server('cp1', { advertises: '' }), server('cp2', { advertises: '' })];
    for (const s of [cp1, cp2]) s.boots(T0, { peerProxy: false });
    for (const at of [1, 2, 3]) proxied(cp1, cp2, T0 + at * SEC);
    expect(addresses([cp1, cp2])).toEqual({ cp1: ['10.0.0.11'], cp2: [] });
    expect(observe([cp1, cp2], 'audit').proxied.total).toBe(3);
  });

  test('nobody, when several servers advertise it', () => {
    const [cp1, cp2] = ['cp1', 'cp2'].map((name) => server(name, { advertises: '10.0.0.100:6443' }).boots(T0));
    if (cp1 === undefined || cp2 === undefined) throw new Error('no servers');
    for (const s of [cp1, cp2]) s.log.splice(0, 1);
    const snapshot = observe([cp1, cp2], 'audit');
    expect(snapshot.servers.map((s) => s.addresses)).toEqual([[], []]);
    expect(only(snapshot, 'peer-address')).toMatchObject([
      { problem: 'shared', address: '10.0.0.100:6443', servers: ['cp1', 'cp2'] },
    ]);
  });

  test.each([
    ['ended before the other began', -60, []],
    ['was renewed beside it', 30, ['peer-address']],
  ])('no shared one, where a server whose lease %s had it', (_, renewedAt, told) => {
    const [node, peer] = cluster(['node-2', 'cp1']) as [TestServer, TestServer];
    const former = server('node-1');
    const lease = leaseObject(former.identity, former.name, node.advertises, T0 + renewedAt * SEC, T0 - 60 * MIN);
    const leases = { name: 'leases.json', content: JSON.stringify({ kind: 'LeaseList', items: [lease] }) };
    const snapshot = correlate([...inputsOf([node, peer]), leases]);
    expect(only(snapshot, 'peer-address').map(({ type }) => type)).toEqual(told);
  });

  test('servers of which one took the place of the other, each in its time', () => {
    const [cp2, cp3] = cluster(['cp2', 'cp3'], { until: T0 + 10 * MIN }) as [TestServer, TestServer];
    const former = server('node-1', { ip: '10.0.0.11' }).boots(T0, { until: T0 + 2 * MIN });
    const heir = server('node-9', { ip: '10.0.0.11' }).boots(T0 + 3 * MIN, { until: T0 + 10 * MIN });
    const all = [former, heir, cp2, cp3];
    for (const peer of [cp2, cp3]) {
      learns(former, peer, T0 + 15 * SEC);
      learns(heir, peer, T0 + 3 * MIN + 15 * SEC);
      learns(peer, former, T0 + 16 * SEC);
      learns(peer, heir, T0 + 3 * MIN + 16 * SEC);
      for (let at = 1; at < 7; at += 1) proxied(heir, peer, T0 + 4 * MIN + at * SEC);
    }
    for (const one of all) withoutBodies(one);
    const snapshot = observe(all, 'audit');
    expect(Object.fromEntries(snapshot.servers.map((s) => [s.name, s.addresses]))).toEqual({
      cp2: [cp2.ip],
      cp3: [cp3.ip],
      'node-1': ['10.0.0.11'],
      'node-9': ['10.0.0.11'],
    });
    expect(snapshot.proxied.total).toBe(12);
    expect(only(snapshot, 'peer-discovery-gap').filter((o) => o.server?.startsWith('node'))).toEqual([]);
  });

  test('the server that passed many requests on from it, although a peer that advertises it makes that server ask itself', () => {
    const servers = cluster(['cp1', 'cp2', 'cp3']);
    const [cp1, cp2, cp3] = servers as [TestServer, TestServer, TestServer];
    cp1.request(T0 + 20 * SEC, { verb: 'get', uri: '/apis', ref: null, ...PEER, from: [cp1.ip] });
    cp2.audit.splice(0, cp2.audit.length, ...cp2.audit.filter(({ text }) => !text.includes(`"${cp1.ip}"`)));
    for (let at = 1; at < 7; at += 1) proxied(cp1, cp3, T0 + MIN + at * SEC);
    for (const one of servers) withoutBodies(one);
    expect(addresses(servers)).toEqual({ cp1: [cp1.ip], cp2: [cp2.ip], cp3: [cp3.ip] });
  });

  test('no server that has no peer proxy, where the others show theirs', () => {
    const [cp1, cp2, cp3] = ['cp1', 'cp2', 'cp3'].map((name) => server(name)) as [TestServer, TestServer, TestServer];
    for (const [one, peerProxy] of [
      [cp1, true],
      [cp2, true],
      [cp3, false],
    ] as const)
      one.boots(T0, { until: T0 + 3 * MIN, peerProxy });
    learns(cp1, cp2, T0 + 15 * SEC);
    learns(cp2, cp1, T0 + 15 * SEC);
    for (const one of [cp1, cp2, cp3]) withoutBodies(one);
    expect(addresses([cp1, cp2, cp3])).toEqual({ cp1: [cp1.ip], cp2: [cp2.ip], cp3: [] });
  });

  test('the one of its advertisers that comes from there; the other misdirects its peers, and nobody else is to blame', () => {
    const [cp1, cp3] = ['cp1', 'cp3'].map((name) => server(name).boots(T0, { until: T0 + 3 * MIN })) as [
      TestServer,
      TestServer,
    ];
    const cp2 = server('cp2', { advertises: cp1.advertises }).boots(T0, { until: T0 + 3 * MIN });
    for (const [source, destination] of [
      [cp1, cp3],
      [cp3, cp1],
      [cp2, cp1],
      [cp2, cp3],
    ] as const)
      learns(source, destination, T0 + 15 * SEC);
    for (let at = 1; at < 7; at += 1) proxied(cp1, cp3, T0 + MIN + at * SEC);
    const snapshot = observe([cp1, cp2, cp3]);
    const told = { problem: 'shared', server: 'cp2', owner: 'cp1', servers: ['cp1', 'cp2'] };
    expect(only(snapshot, 'peer-address')).toMatchObject([told]);
    expect(only(snapshot, 'peer-discovery-gap')).toEqual([]);
  });

  test('the server that its own log says, without any audit log', () => {
    expect(addresses(cluster(['cp1', 'cp2']), 'log')).toEqual({ cp1: ['10.0.0.11'], cp2: ['10.0.0.12'] });
  });
});

describe('a forged pair', () => {
  test('from an address that is another server’s counts for nothing', () => {
    const [cp1, cp2, cp3] = cluster(['cp1', 'cp2', 'cp3']);
    if (cp1 === undefined || cp2 === undefined || cp3 === undefined) throw new Error('no servers');
    cp1.request(T0 + MIN, { auditID: 'forged' });
    cp2.request(T0 + MIN, { auditID: 'forged', from: ['192.0.2.50', cp3.ip] });
    expect(observe([cp1, cp2, cp3]).proxied.total).toBe(0);
  });
});

test.each([
  ['127.0.0.1:6443', 'loopback'],
  ['[::1]:6443', 'loopback'],
  ['0.0.0.0:6443', 'unspecified'],
])('an advertised %s is a problem: %s', (advertises, problem) => {
  const snapshot = observe([server('cp1', { advertises }).boots(T0), server('cp2').boots(T0)]);
  expect(only(snapshot, 'peer-address')).toMatchObject([{ server: 'cp1', problem, address: advertises }]);
});
