import { describe, expect, test } from '@jest/globals';
import { correlate, learns, MIN, observe, only, proxied, SEC, server, T0, type TestServer, textOf } from '../kit.js';

function states(servers: readonly TestServer[], which: 'all' | 'audit' | 'log' = 'all'): string[] {
  return observe(servers, which).servers.map(({ name, peerProxy }) => `${name} ${peerProxy}`);
}

const WITHOUT = { peerProxy: false } as const;

describe('a peer proxy is', () => {
  test('active when the server reads its own discovery, or its log says so', () => {
    const servers = [server('cp1').boots(T0), server('cp2').boots(T0)];
    for (const which of ['audit', 'log'] as const) expect(states(servers, which)).toEqual(['cp1 active', 'cp2 active']);
  });

  test('active when the server asks or passes on', () => {
    const [cp1, cp2] = [server('cp1').boots(T0, WITHOUT), server('cp2').boots(T0, WITHOUT)];
    learns(cp1, cp2, T0 + 15 * SEC);
    proxied(cp1, cp2, T0 + 30 * SEC, { logged: false });
    expect(states([cp1, cp2], 'audit')).toEqual(['cp1 active', 'cp2 inactive']);
  });

  test('inactive when the log shows a start without it', () => {
    const servers = [server('cp1').boots(T0, WITHOUT), server('cp2').boots(T0)];
    servers[0]?.says(T0 + MIN, 'I', 'controller.go', 'something later');
    const snapshot = observe(servers);
    expect(snapshot.servers.map(({ peerProxy }) => peerProxy)).toEqual(['inactive', 'active']);
    expect(only(snapshot, 'peer-proxy-state')).toMatchObject([
      { server: 'cp1', reason: 'no-peer-ca', peersActive: true, certainty: 'certain' },
    ]);
  });

  test('inactive for want of the gate when the lease has no address', () => {
    const servers = [server('cp1', { advertises: '' }).boots(T0, WITHOUT), server('cp2').boots(T0)];
    expect(only(observe(servers, 'audit'), 'peer-proxy-state')).toMatchObject([{ server: 'cp1', reason: 'gate-off' }]);
  });

  test('inactive for certain when the flag is empty', () => {
    const servers = [server('cp1').boots(T0, { ...WITHOUT, flags: { 'peer-ca-file': '' } }), server('cp2').boots(T0)];
    expect(only(observe(servers), 'peer-proxy-state')).toMatchObject([{ server: 'cp1', certainty: 'certain' }]);
  });

  test('unknown when the start is not among the records', () => {
    const cp1 = server('cp1');
    cp1.uid = 'an old boot';
    cp1.renews(T0, T0 + 3 * MIN).request(T0, { ref: null, uri: '/apis' });
    expect(states([cp1, server('cp2').boots(T0)], 'audit')).toEqual(['cp1 unknown', 'cp2 active']);
  });
});

test('nobody has one: told with what differs', () => {
  const [cp1, cp2] = [server('cp1', { version: 'v1.35.4' }).boots(T0, WITHOUT), server('cp2').boots(T0, WITHOUT)];
  for (const s of [cp1, cp2]) s.request(T0 + 20 * SEC, { ref: null, uri: '/apis', verb: 'get' });
  cp2.request(T0 + 50 * SEC);
  cp1.request(T0 + 51 * SEC, { code: 404 });
  expect(only(observe([cp1, cp2], 'audit'), 'cluster-proxy')).toMatchObject([
    { servers: ['cp1', 'cp2'], versionsDiffer: true, resourcesDiffer: true, resources: ['jobs.batch/v1'] },
  ]);
});

describe('--peer-advertise flags', () => {
  test.each([
    [{ 'peer-advertise-ip': '192.0.2.7', 'peer-advertise-port': '' }, 'half-set'],
    [{ 'peer-advertise-ip': '192.0.2.7', 'peer-advertise-port': 'x' }, 'invalid'],
    [{ 'peer-advertise-ip': '192.0.2.7', 'peer-advertise-port': '70000' }, 'invalid'],
    [{ 'peer-advertise-ip': '192.0.2.7', 'peer-advertise-port': '7443' }, 'ignored'],
    [{ 'peer-advertise-ip': '10.0.0.11', 'peer-advertise-port': '6443' }, undefined],
    [{ 'peer-advertise-ip': '', 'peer-advertise-port': '' }, undefined],
  ])('%j: %s', (flags, problem) => {
    const found = only(observe([server('cp1').boots(T0, { flags }), server('cp2').boots(T0)]), 'advertise-flags');
    expect(found.map((o) => o.problem)).toEqual(problem === undefined ? [] : [problem]);
  });
});

test('a start refused over a flag is told with its server', () => {
  const cp1 = server('cp1').boots(T0);
  const error = '--peer-ca-file requires UnknownVersionInteroperabilityProxy feature to be turned on';
  cp1
    .says(T0 + 5 * MIN, 'I', 'server.go', 'Version: v1.35.4')
    .says(T0 + 5 * MIN + SEC, 'E', 'run.go', `"command failed" err="${error}"`);
  expect(only(observe([cp1]), 'startup-refused')).toMatchObject([{ server: 'cp1', flag: '--peer-ca-file', error }]);
});

test('in appended logs of several servers it may be any other server that was refused', () => {
  const [cp1, cp2, cp3] = [server('cp1').boots(T0), server('cp2').boots(T0), server('cp3')];
  for (const s of [cp1, cp2])
    s.says(T0 + SEC, 'I', 'controller.go', `"Deleting old lease on startup" lease="kube-system/${s.identity}"`);
  cp3
    .says(T0, 'I', 'server.go', 'Version: v1.35.4')
    .says(T0 + SEC, 'E', 'run.go', '"command failed" err="failed to create proxy transport: x"');
  const content = [cp1, cp2, cp3].map(({ log }) => textOf(log)).join('');
  expect(only(correlate([{ name: '-', content }]), 'startup-refused')).toMatchObject([{ certainty: 'possible' }]);
});
