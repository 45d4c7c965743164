import { describe, expect, test } from '@jest/globals';
import {
  cluster,
  correlate,
  inputsOf,
  learns,
  MIN,
  MS,
  observe,
  only,
  SEC,
  server,
  T0,
  type TestServer,
  textOf,
} from '../kit.js';

function pair(until = T0 + 20 * MIN): [TestServer, TestServer] {
  const [cp1, cp2] = cluster(['cp1', 'cp2'], { until });
  if (cp1 === undefined || cp2 === undefined) throw new Error('no servers');
  return [cp1, cp2];
}

function without(source: TestServer, from: number, to: number): void {
  source.audit.splice(0, source.audit.length, ...source.audit.filter(({ at }) => at < from || at > to));
}

describe('a gap', () => {
  test('is a silence of a server that renews its lease every 10 s', () => {
    const [cp1, cp2] = pair();
    without(cp1, T0 + 5 * MIN, T0 + 10 * MIN);
    expect(only(observe([cp1, cp2]), 'stream-gap')).toMatchObject([{ server: 'cp1', seconds: 310 }]);
  });

  test('is none between two boots', () => {
    const cp1 = server('cp1')
      .boots(T0)
      .stops(T0 + 70 * SEC)
      .boots(T0 + 10 * MIN);
    expect(only(observe([cp1, server('cp2').boots(T0)]), 'stream-gap')).toEqual([]);
  });

  test('is none where another file of the server goes on', () => {
    const [cp1] = pair();
    const [a, b] = [
      cp1.audit.filter(({ at }) => Math.floor(at / (3 * MIN)) % 2 === 0),
      cp1.audit.filter(({ at }) => Math.floor(at / (3 * MIN)) % 2 === 1),
    ];
    const inputs = [a, b].map((lines, at) => ({ name: `cp1-audit.log.${at}`, content: textOf(lines) }));
    expect(only(correlate(inputs), 'stream-gap')).toEqual([]);
  });
});

test('duplicates are counted, with the inputs', () => {
  const inputs = inputsOf(pair(T0 + MIN), 'audit');
  const snapshot = correlate([...inputs, ...inputs.map((input) => ({ ...input, name: `again/${input.name}` }))]);
  expect(only(snapshot, 'stream-duplicate').map(({ server: name }) => name)).toEqual(['cp1', 'cp2']);
});

describe('a line written twice within one microsecond', () => {
  const [cp1] = pair(T0 + MIN);
  for (const at of [30, 30, 40]) cp1.says(T0 + at * SEC, 'I', 'peer_x.go', 'Invalidated caches');
  const inputs = inputsOf([cp1], 'log');

  test('was not read twice', () => {
    expect(only(correlate(inputs), 'stream-duplicate')).toEqual([]);
  });

  test('is counted as a line where its file was', () => {
    const [once] = only(
      correlate([...inputs, ...inputs.map((one) => ({ ...one, name: 'again.log', server: 'cp1' }))]),
      'stream-duplicate',
    );
    expect(once?.lines).toBe(once?.count);
    expect(once?.lines).toBeGreaterThanOrEqual(3);
  });
});

test('a reused Audit-ID is told with the clients that used it', () => {
  const [cp1, cp2] = pair(T0 + MIN);
  for (const at of [1, 2, 3]) cp1.request(T0 + 30 * SEC + at * MS, { auditID: 'mine', userAgent: 'curl/8.0' });
  expect(only(observe([cp1, cp2]), 'audit-id-reuse')).toMatchObject([
    { auditIDs: ['mine'], clients: ['curl/8.0'], count: 3 },
  ]);
});

describe('missing logs', () => {
  test('of a server that only a lease tells of', () => {
    const [cp1, cp2] = pair(T0 + MIN);
    const named = correlate([...inputsOf([cp1, cp2]), { name: 'leases.json', content: leaseList(server('cp3')) }]);
    expect(only(named, 'server-log-missing')).toMatchObject([{ server: 'cp3', missing: 'both' }]);
  });

  test('of a server that peers call and of which nothing else tells, unless it may be one of those that are known', () => {
    const [cp1, cp2] = pair(T0 + MIN);
    learns(cp1, server('cp9'), T0 + 20 * SEC);
    const missing = () =>
      only(observe([cp1, cp2]), 'server-log-missing').map((o) => [o.server, o.missing, o.knownFrom]);
    expect(missing()).toEqual([['10.0.0.19:6443', 'both', "a peer's log only"]]);
    const nameless = server('cp3', { advertises: '' }).boots(T0);
    nameless.log.splice(0, 1);
    expect(only(observe([cp1, cp2, nameless]), 'server-log-missing')).toEqual([]);
  });

  test('of one kind', () => {
    const [cp1, cp2] = pair(T0 + MIN);
    const snapshot = correlate(inputsOf([cp1, cp2]).filter(({ name }) => name !== 'cp2-kube-apiserver.log'));
    expect(only(snapshot, 'server-log-missing')).toMatchObject([{ server: 'cp2', missing: 'process' }]);
  });

  test('are none where nobody gave process logs', () => {
    expect(only(observe(pair(T0 + MIN), 'audit'), 'server-log-missing')).toEqual([]);
  });
});

function leaseList(cp: TestServer): string {
  const metadata = {
    name: cp.identity,
    namespace: 'kube-system',
    labels: { 'kubernetes.io/hostname': cp.name, 'apiserver.kubernetes.io/identity': 'kube-apiserver' },
  };
  return JSON.stringify({
    kind: 'LeaseList',
    apiVersion: 'coordination.k8s.io/v1',
    metadata: {},
    items: [{ metadata, spec: {} }],
  });
}

test('a policy without non-resource requests is blind', () => {
  const [cp1] = pair(T0 + MIN);
  const text = textOf(cp1.audit.filter(({ text: line }) => line.includes('"objectRef"')));
  const snapshot = correlate([{ name: 'cp1-audit.log', content: text }]);
  expect(only(snapshot, 'policy-blind')).toMatchObject([{ server: 'cp1', missing: 'non-resource requests' }]);
  expect(snapshot.capabilities.has('peer-discovery-audit')).toBe(false);
});
