import { describe, expect, test } from '@jest/globals';
import {
  cluster,
  correlate,
  inputsOf,
  leaseObject,
  MIN,
  observe,
  only,
  SEC,
  T0,
  type TestInput,
  type TestServer,
} from '../kit.js';

const UNTIL = T0 + 10 * MIN;
const NAMESPACE = { resource: 'namespaces', name: 'kube-system', apiVersion: 'v1' };

function founds(server: TestServer | undefined): void {
  server?.loopback(T0 + 2 * SEC, 'create', '/api/v1/namespaces', { ref: NAMESPACE, code: 201 });
}

/** Two clusters that run at the same time, of which nothing says that they are two. */
function two(): { readonly a: TestServer[]; readonly b: TestServer[] } {
  return { a: cluster(['cp1', 'cp2'], { until: UNTIL }), b: cluster(['cp7', 'cp8'], { until: UNTIL }) };
}

function listed(name: string, servers: readonly TestServer[], at: number): TestInput {
  const items = servers.map((s) => leaseObject(s.identity, s.name, s.advertises, at, T0 + SEC));
  return {
    name,
    content: JSON.stringify({ kind: 'LeaseList', apiVersion: 'coordination.k8s.io/v1', metadata: {}, items }),
  };
}

const mixed = (inputs: readonly TestInput[]) => only(correlate(inputs), 'mixed-clusters');

describe('two clusters that were both founded', () => {
  const { a, b } = two();
  founds(a[0]);
  founds(b[1]);
  const snapshot = observe([...a, ...b]);

  test('are told', () => {
    expect(only(snapshot, 'mixed-clusters')).toMatchObject([
      {
        cluster: 'default',
        certainty: 'certain',
        founded: true,
        planes: [
          { name: 'default', servers: ['cp1', 'cp2'] },
          { name: 'default~2', servers: ['cp7', 'cp8'] },
        ],
      },
    ]);
  });

  test('are parted: no server is asked about one of the other', () => {
    expect(snapshot.clusters).toEqual(['default', 'default~2']);
    expect(snapshot.servers.map(({ name, cluster: of }) => `${of} ${name}`)).toContain('default~2 cp7');
    expect(snapshot.discovery.map(({ source, destination }) => `${source} ${destination}`).sort()).toEqual([
      'cp1 cp2',
      'cp2 cp1',
      'cp7 cp8',
      'cp8 cp7',
    ]);
  });

  test('whatever the order of the inputs', () => {
    expect(mixed(inputsOf([...b, ...a]))).toEqual(only(snapshot, 'mixed-clusters'));
  });

  test('share no APIService', () => {
    const [cp1, cp8] = [a[0], b[1]];
    const ref = { resource: 'apiservices', apiGroup: 'apiregistration.k8s.io', apiVersion: 'v1', name: 'v1.policy' };
    cp1?.loopback(T0 + 30 * SEC, 'create', '/apis/apiregistration.k8s.io/v1/apiservices', { ref, code: 201 });
    cp8?.loopback(T0 + 31 * SEC, 'delete', '/apis/apiregistration.k8s.io/v1/apiservices/v1.policy', { ref });
    expect(only(observe([...a, ...b]), 'apiservice-churn')).toMatchObject([
      { cluster: 'default~2', creators: [], deleters: ['cp8'] },
    ]);
  });
});

describe('lists of leases that exclude each other', () => {
  const { a, b } = two();
  const at = T0 + 5 * MIN;

  test('while the servers of both ran tell of two clusters', () => {
    expect(mixed([...inputsOf([...a, ...b]), listed('a.json', a, at), listed('b.json', b, at)])).toMatchObject([
      { certainty: 'likely', founded: false, planes: [{ servers: ['cp1', 'cp2'] }, { servers: ['cp7', 'cp8'] }] },
    ]);
  });

  test('tell nothing when one was made before the others began, as where all servers were replaced', () => {
    const later = cluster(['cp7', 'cp8'], { at: UNTIL + MIN, until: UNTIL + 11 * MIN });
    expect(mixed([...inputsOf([...a, ...later]), listed('a.json', a, at)])).toEqual([]);
  });

  test('tell nothing when they are of one lease each', () => {
    const each = [...a, ...b].map((server) => listed(`${server.name}.json`, [server], at));
    expect(mixed([...inputsOf([...a, ...b]), ...each])).toEqual([]);
  });
});

test('one cluster is one, founded and listed', () => {
  const servers = cluster(['cp1', 'cp2', 'cp3'], { until: UNTIL });
  founds(servers[0]);
  const snapshot = correlate([...inputsOf(servers), listed('leases.json', servers, T0 + 5 * MIN)]);
  expect(only(snapshot, 'mixed-clusters')).toEqual([]);
  expect(snapshot.clusters).toEqual(['default']);
});

test('two clusters of which nothing proves it stay together', () => {
  const { a, b } = two();
  expect(only(observe([...a, ...b]), 'mixed-clusters')).toEqual([]);
});
