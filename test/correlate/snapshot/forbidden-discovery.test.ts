/** Peers that are known by their true name and may not read discovery. */
import { expect, test } from '@jest/globals';
import {
  calls,
  cluster,
  correlate,
  inputsOf,
  MIN,
  observe,
  only,
  PEER,
  queryError,
  SEC,
  T0,
  type TestServer,
} from '../kit.js';

/** Questions for discovery that the destination refuses, each with the source's error. */
function refuses(source: TestServer, destination: TestServer, at: number): void {
  for (const [step, path] of ['/api', '/apis'].entries()) {
    const when = at + step * 10_000;
    calls(source, destination, when, path, '');
    destination.request(when + 1_000, { verb: 'get', uri: path, ref: null, ...PEER, from: [source.ip], code: 403 });
    queryError(source, destination, when + 3_000, path, 'discovery request failed with status: 403');
  }
}

function three(): [TestServer, TestServer, TestServer] {
  return cluster(['cp1', 'cp2', 'cp3']) as [TestServer, TestServer, TestServer];
}

function pairsOf(servers: readonly TestServer[]): [TestServer, TestServer][] {
  return servers.flatMap((a) => servers.flatMap((b): [TestServer, TestServer][] => (a === b ? [] : [[a, b]])));
}

const failures = (servers: readonly TestServer[], which?: 'audit') => {
  const found = only(observe(servers, which), 'peer-call-failure');
  return found.map(({ cause, server, certainty, count, edges, recovered, workedBefore }) => {
    const from = [...new Set(edges.map(({ source }) => source))].join(' ');
    return { cause, server, certainty, count, from, recovered, workedBefore };
  });
};

test.each([undefined, 'audit'] as const)('all servers refuse: it is said once, of none; inputs: %s', (which) => {
  const servers = three();
  for (const [step, [source, destination]] of pairsOf(servers).entries()) {
    refuses(source, destination, T0 + 2 * MIN + step * SEC);
  }
  const said = { server: null, certainty: 'certain', count: 12, from: 'cp1 cp2 cp3', recovered: false };
  expect(failures(servers, which)).toEqual([{ cause: 'forbidden', ...said, workedBefore: true }]);
  expect(only(observe(servers, which), 'peer-discovery-gap')).toEqual([]);
});

test('one server alone refuses', () => {
  const [cp1, cp2, cp3] = three();
  refuses(cp1, cp2, T0 + 2 * MIN);
  refuses(cp3, cp2, T0 + 2 * MIN);
  expect(failures([cp1, cp2, cp3])).toMatchObject([{ cause: 'forbidden', server: 'cp2', from: 'cp1 cp3' }]);
});

test('a server that starts refuses until the rights are there', () => {
  const [cp1, cp2, cp3] = three();
  refuses(cp1, cp2, T0 + 5 * SEC);
  expect(failures([cp1, cp2, cp3])).toEqual([]);
});

test('process logs alone do not show for whom', () => {
  const [cp1, cp2, cp3] = three();
  refuses(cp1, cp2, T0 + 2 * MIN);
  cp2.says(T0 + 3 * MIN, 'I', 'controller.go', 'still here');
  const snapshot = correlate(inputsOf([cp1, cp2, cp3], 'log'));
  expect(only(snapshot, 'peer-call-failure')).toMatchObject([{ cause: 'forbidden', certainty: 'possible' }]);
});

test('another user that is refused is taken for the proxy, which is another matter', () => {
  const [cp1, cp2, cp3] = three();
  const user = { username: 'front-proxy-client', groups: ['system:authenticated'] };
  for (const path of ['/api', '/apis']) {
    calls(cp1, cp2, T0 + 2 * MIN, path, '');
    cp2.request(T0 + 2 * MIN + 1_000, {
      verb: 'get',
      uri: path,
      ref: null,
      userAgent: '',
      user,
      from: [cp1.ip],
      code: 403,
    });
    queryError(cp1, cp2, T0 + 2 * MIN + 3_000, path, 'discovery request failed with status: 403');
  }
  expect(failures([cp1, cp2, cp3])).toEqual([]);
  expect(only(observe([cp1, cp2, cp3]), 'identity-replaced')).toHaveLength(1);
});
