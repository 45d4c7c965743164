/** Which inputs are which server, and what it is called. */
import { describe, expect, test } from '@jest/globals';
import {
  cluster,
  correlate,
  failsToLearn,
  inputsOf,
  leaseObject,
  MIN,
  observe,
  only,
  proxied,
  SEC,
  server,
  T0,
  type TestInput,
  type TestServer,
  textOf,
} from '../kit.js';

const named = (inputs: readonly TestInput[]) =>
  correlate(inputs).servers.map(({ name, knownBy }) => `${name}: ${knownBy}`);

function audit(source: TestServer, name: string, more: Partial<TestInput> = {}): TestInput {
  return { name, content: textOf(source.audit), ...more };
}

describe('a server is called', () => {
  test('what the user says, before all else', () => {
    const [cp1] = cluster(['cp1']);
    if (cp1 === undefined) throw new Error('no server');
    expect(named([audit(cp1, 'cp1-audit.log', { server: 'the-first' })])).toEqual(['the-first: --server']);
  });

  test('by the host name of its lease, whatever the input is called', () => {
    expect(named([audit(server('cp1').boots(T0), 'x.log')])).toEqual(['cp1: own lease renewals']);
  });

  test('by a word of the input name whose hash is its identity, when leases have no bodies', () => {
    const cp1 = server('node-7.shop.example').boots(T0);
    const bodiless = textOf(cp1.audit).replace(/"requestObject":\{.*?\}\},"requestReceived/g, '"requestReceived');
    expect(named([{ name: 'audit-node-7.shop.example.log', content: bodiless }])).toEqual([
      'node-7.shop.example: own lease renewals',
    ]);
  });

  test('by its identity when nothing else is known', () => {
    const cp1 = server('cp1').boots(T0);
    const bodiless = textOf(cp1.audit).replace(/"requestObject":\{.*?\}\},"requestReceived/g, '"requestReceived');
    expect(named([{ name: '-', content: bodiless }])).toEqual([`${cp1.identity}: own lease renewals`]);
  });

  test('by the input without the usual words, when the policy leaves out leases', () => {
    const [one, two] = [server('cp1').request(T0), server('cp2').request(T0)];
    expect(named([audit(one, 'node-1-audit.log'), audit(two, 'node-2-audit.log')])).toEqual([
      'node-1: input name',
      'node-2: input name',
    ]);
  });

  test('unknown, with a number, when even that says nothing', () => {
    const [one, two] = [server('cp1').request(T0), server('cp2').request(T0)];
    expect(named([audit(one, 'a/audit.log'), audit(two, 'audit.log')])).toEqual([
      'a: input name',
      'unknown: nothing: its inputs do not say who wrote them',
    ]);
  });

  test('by a lease list alone, when no log of it is there', () => {
    const list = {
      kind: 'LeaseList',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: {},
      items: [leaseObject(server('cp9').identity, 'cp9', '10.0.0.19:6443', T0, T0)],
    };
    const snapshot = correlate([...inputsOf(cluster(['cp1'])), { name: 'leases.json', content: JSON.stringify(list) }]);
    expect(snapshot.servers.map(({ name, knownBy }) => [name, knownBy])).toContainEqual(['cp9', 'identity lease only']);
  });
});

describe('inputs are of one server when', () => {
  test('they share a boot ID or an identity', () => {
    const cp1 = server('cp1')
      .boots(T0)
      .boots(T0 + 5 * MIN);
    const half = Math.floor(cp1.audit.length / 2);
    const parts = [cp1.audit.slice(0, half), cp1.audit.slice(half)].map((lines, at) => ({
      name: `${'xy'[at]}.log`,
      content: textOf(lines),
    }));
    expect(named(parts)).toEqual(['cp1: own lease renewals']);
  });

  test('they share a name and nothing contradicts', () => {
    const cp1 = server('cp1').boots(T0);
    expect(named(inputsOf([cp1]))).toHaveLength(1);
  });

  test('and not when identities contradict the name', () => {
    const [cp1, cp2] = [server('cp1').boots(T0), server('cp2').boots(T0)];
    expect(named([audit(cp1, 'a/audit.log'), audit(cp2, 'b/a-audit.log')])).toHaveLength(2);
  });
});

test('logs of other components are no servers', () => {
  const cp1 = server('cp1').boots(T0);
  const manager = server('kcm')
    .says(T0, 'I', 'controllermanager.go', 'Starting')
    .says(T0 + SEC, 'I', 'garbagecollector.go', 'Syncing');
  expect(
    named([...inputsOf([cp1]), { name: 'kube-controller-manager.log', content: textOf(manager.log) }]),
  ).toHaveLength(1);
});

describe('a process log that shows nothing of an apiserver', () => {
  const cp1 = server('cp1').request(T0 + SEC);
  const errors = textOf(server('cp1').says(T0, 'E', 'controller.go', 'a sync failed').log);

  test('takes nothing from the audit log of the same name', () => {
    expect(named([audit(cp1, 'cp1/audit.log'), { name: 'cp1/kube-apiserver.log', content: errors }])).toEqual([
      'cp1: input name',
    ]);
  });

  test('is of a server where the user says so', () => {
    expect(named([{ name: 'x.log', content: errors, server: 'n1' }])).toEqual(['n1: --server']);
  });

  test('is no server alone', () => {
    expect(named([{ name: 'cp1/kube-apiserver.log', content: errors }])).toEqual([]);
  });
});

test('an aggregated API server is no server, and neither is its process log', () => {
  const agent = { userAgent: 'sample-apiserver/v1.0.0 (linux/amd64) kubernetes/0123456' };
  const other = server('agg');
  other.uid = 'c5d1';
  other.loopback(T0, 'get', '/readyz', agent).says(T0, 'E', 'controller.go', 'a sync failed');
  expect(named(inputsOf([other]))).toEqual([]);
});

test('clusters are kept apart', () => {
  const [cp1, cp2] = cluster(['cp1', 'cp2']);
  if (cp1 === undefined || cp2 === undefined) throw new Error('no servers');
  proxied(cp1, cp2, T0 + MIN);
  const snapshot = correlate([
    audit(cp1, 'cp1-audit.log', { cluster: 'east' }),
    audit(cp2, 'cp2-audit.log', { cluster: 'west' }),
  ]);
  expect(snapshot.clusters).toEqual(['east', 'west']);
  expect(snapshot.proxied.total).toBe(0);
  expect(snapshot.discovery).toEqual([]);
});

describe('process logs that come in turns in one stream', () => {
  const [cp1, cp2] = cluster(['cp1', 'cp2']);
  if (cp1 === undefined || cp2 === undefined) throw new Error('no servers');
  const other = cp2.log.map(({ at, text }) => ({ at, text: text.replace('   22227 ', '   24407 ') }));
  const together = { name: 'klog-all.log', content: textOf([...cp1.log, ...other]) };

  test('are nobody, told by the numbers of their processes', () => {
    const snapshot = correlate([together]);
    expect(snapshot.servers).toEqual([]);
    expect(snapshot.writers.size).toBe(0);
  });

  test('take nothing from the audit logs beside them, and prove nothing by what they lack', () => {
    cp1.audit.splice(0, cp1.audit.length, ...cp1.audit.filter(({ text }) => text.includes('"objectRef"')));
    const snapshot = correlate([...inputsOf([cp1, cp2], 'audit'), together]);
    expect(snapshot.servers.map(({ name }) => name)).toEqual(['cp1', 'cp2']);
    expect(snapshot.discovery.map(({ state }) => state)).toEqual(['ok', 'unknown']);
  });

  test('of one server, which was restarted, are its own', () => {
    const again = server('cp1').boots(T0 + 5 * MIN);
    const restarted = again.log.map(({ at, text }) => ({ at, text: text.replace('   22227 ', '   24407 ') }));
    const snapshot = correlate([{ name: 'cp1.log', content: textOf([...cp1.log, ...restarted]) }]);
    expect(snapshot.servers.map(({ name, starts }) => [name, starts.length])).toEqual([['cp1', 2]]);
  });
});

describe('servers that write in turns into one stream', () => {
  const [cp1, cp2] = cluster(['cp1', 'cp2']);
  if (cp1 === undefined || cp2 === undefined) throw new Error('no servers');
  proxied(cp1, cp2, T0 + MIN);
  cp1.request(T0 + 90 * SEC, { code: 404 });
  const snapshot = correlate([{ name: '-', content: textOf([...cp1.audit, ...cp2.audit]) }]);

  test('are named with their versions, and it is said that the rest cannot be told apart', () => {
    expect(snapshot.servers.map(({ name, versions }) => [name, versions[0]?.version])).toEqual([
      ['cp1', 'v1.36.3'],
      ['cp2', 'v1.36.3'],
    ]);
    for (const { knownBy } of snapshot.servers) expect(knownBy).toContain('cannot be told apart');
    expect(snapshot.writers.size).toBe(0);
  });

  test('are charged with nothing', () => {
    expect(snapshot.notFound).toEqual([]);
    expect(snapshot.proxied.total).toBe(0);
    expect(snapshot.discovery.map(({ state }) => state)).toEqual(['unknown', 'unknown']);
    expect(only(snapshot, 'peer-discovery-gap')).toEqual([]);
  });
});

test('a process log that does not say whose it is, is that of the server whose name its own name gives and whom a peer calls', () => {
  const [cp1, cp2] = ['cp1', 'cp2'].map((name) => server(name).boots(T0));
  if (cp1 === undefined || cp2 === undefined) throw new Error('no servers');
  for (const at of [20, 21]) failsToLearn(cp1, cp2, T0 + at * SEC, 'x509: certificate signed by unknown authority');
  expect(observe([cp1, cp2], 'log').servers.map(({ name, identity }) => [name, identity])).toEqual([
    ['cp1', null],
    ['cp2', cp2.identity],
  ]);
});

test('a server that nothing names has the node whose name fits beside its own', () => {
  const cp1 = server('cp1').boots(T0);
  const bodiless = () => textOf(cp1.audit).replace(/"requestObject":\{.*?\}\},"requestReceived/g, '"requestReceived');
  const nodeOf = (content: string) => correlate([{ name: '-', content }]).servers.map(({ name, node }) => [name, node]);
  expect(nodeOf(bodiless())).toEqual([[cp1.identity, undefined]]);
  cp1.request(T0 + 30 * SEC, { verb: 'patch', ref: { resource: 'nodes', name: 'cp1', subresource: 'status' } });
  expect(nodeOf(bodiless())).toEqual([[cp1.identity, 'cp1']]);
  expect(nodeOf(textOf(cp1.audit))).toEqual([['cp1', undefined]]);
});
