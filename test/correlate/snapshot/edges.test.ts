/** Cells of the discovery matrix, as the logs of small clusters show them. */
import { describe, expect, test } from '@jest/globals';
import type { Snapshot } from '../../../src/model/analysis.js';
import {
  calls,
  failsToLearn,
  learns,
  MIN,
  MS,
  observe,
  only,
  PEER,
  proxied,
  queryError,
  SEC,
  server,
  T0,
  UNAUTHORIZED,
} from '../kit.js';

const UNTRUSTED = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
const REFUSED = 'dial tcp 10.0.0.12:6443: connect: connection refused';

function cell(snapshot: Snapshot, source: string, destination: string) {
  const found = snapshot.discovery.find((one) => one.source === source && one.destination === destination);
  if (found === undefined) throw new Error('no cell');
  return found;
}

function two() {
  const [cp1, cp2] = [
    server('cp1').boots(T0, { until: T0 + 4 * MIN }),
    server('cp2').boots(T0, { until: T0 + 4 * MIN }),
  ];
  learns(cp2, cp1, T0 + 15 * SEC);
  return [cp1, cp2] as const;
}

describe('a cell is', () => {
  test('ok when the destination saw a fetch', () => {
    const [cp1, cp2] = two();
    learns(cp1, cp2, T0 + 15 * SEC);
    cp1.says(T0 + 20 * SEC, 'I', 'controller.go', 'something later');
    for (const which of ['all', 'audit', 'log'] as const)
      expect(cell(observe([cp1, cp2], which), 'cp1', 'cp2').state).toBe('ok');
    expect(cell(observe([cp1, cp2]), 'cp1', 'cp2')).toMatchObject({ fetches: 1, failures: 0, cause: null });
  });

  test('failing when the last thing that happened is an error, with its cause', () => {
    const [cp1, cp2] = two();
    for (const at of [20, 30, 60]) failsToLearn(cp1, cp2, T0 + at * SEC, UNTRUSTED);
    expect(cell(observe([cp1, cp2]), 'cp1', 'cp2')).toMatchObject({
      state: 'failing',
      cause: 'unknown-authority',
      failures: 6,
    });
  });

  test('failing when the destination answers 401, in its audit log alone', () => {
    const [cp1, cp2] = two();
    for (const at of [20, 30])
      cp2.request(T0 + at * SEC, {
        verb: 'get',
        uri: '/apis',
        ref: null,
        ...PEER,
        user: {},
        from: [cp1.ip],
        stages: 'S',
        status: UNAUTHORIZED,
      });
    expect(cell(observe([cp1, cp2], 'audit'), 'cp1', 'cp2')).toMatchObject({ state: 'failing', cause: 'unauthorized' });
  });

  test('ok again after a later fetch', () => {
    const [cp1, cp2] = two();
    failsToLearn(cp1, cp2, T0 + 20 * SEC, UNTRUSTED);
    learns(cp1, cp2, T0 + 40 * SEC);
    expect(cell(observe([cp1, cp2]), 'cp1', 'cp2')).toMatchObject({ state: 'ok', failures: 2 });
  });

  test('missing when nothing came of a start that the destination would have logged', () => {
    const [cp1, cp2] = two();
    expect(cell(observe([cp1, cp2]), 'cp1', 'cp2').state).toBe('missing');
    expect(only(observe([cp1, cp2]), 'peer-discovery-gap')).toMatchObject([{ server: 'cp1', blamed: 'source' }]);
  });

  test('unknown when nobody would have logged a call: no non-resource requests there, nothing but errors here', () => {
    const [cp1, cp2] = two();
    cp2.audit.splice(0, cp2.audit.length, ...cp2.audit.filter(({ text }) => text.includes('"objectRef"')));
    cp1.says(T0 + MIN, 'E', 'peer_discovery.go', 'something went wrong');
    expect(cell(observe([cp1, cp2]), 'cp1', 'cp2').state).toBe('missing');
    cp1.log.splice(0, cp1.log.length, ...cp1.log.filter(({ text }) => text.startsWith('E')));
    expect(cell(observe([cp1, cp2]), 'cp1', 'cp2').state).toBe('unknown');
  });

  test('unknown where the policy records other non-resource requests but none for /api, or none of the apiserver', () => {
    const [cp1, cp2] = two();
    const without = (what: RegExp) => {
      cp2.audit.splice(0, cp2.audit.length, ...cp2.audit.filter(({ text }) => !what.test(text)));
      return cell(observe([cp1, cp2], 'audit'), 'cp1', 'cp2').state;
    };
    cp2.request(T0 + MIN, { verb: 'get', uri: '/apis', ref: null, user: {}, code: 401 });
    expect(without(/"no such text"/)).toBe('missing');
    expect(without(/"requestURI":"\/apis?[?"].*"system:apiserver"/)).toBe('unknown');
    for (const at of [5, 120]) cp2.request(T0 + at * SEC, { verb: 'get', uri: '/apis', ref: null });
    expect(without(/"username":"system:apiserver"/)).toBe('unknown');
  });

  test('ok when a request was passed on, whatever the records show of fetches', () => {
    const [cp1, cp2] = two();
    proxied(cp1, cp2, T0 + 2 * MIN);
    const snapshot = observe([cp1, cp2], 'audit');
    expect(cell(snapshot, 'cp1', 'cp2')).toMatchObject({ state: 'ok', fetches: 0 });
    expect(only(snapshot, 'peer-discovery-gap')).toEqual([]);
  });

  test('unknown while fetches arrive from an address that may be the source’s', () => {
    const servers = ['cp1', 'cp2', 'cp3', 'cp4'].map((name) =>
      server(name, { advertises: '' }).boots(T0, { until: T0 + 4 * MIN }),
    );
    const [cp1, cp2, cp3, cp4] = servers;
    if (cp1 === undefined || cp2 === undefined || cp3 === undefined || cp4 === undefined) throw new Error('no servers');
    for (const s of servers) s.log.length = 0;
    // Nobody asks cp3 and cp4: the addresses of cp1 and cp2 may be theirs.
    for (const [a, b] of [
      [cp1, cp2],
      [cp2, cp1],
    ] as const)
      learns(a, b, T0 + 15 * SEC);
    const snapshot = observe(servers, 'audit');
    expect(cell(snapshot, 'cp1', 'cp2').state).toBe('unknown');
    expect(cell(snapshot, 'cp1', 'cp3').state).toBe('missing');
    expect(only(snapshot, 'peer-discovery-gap').flatMap(({ edges }) => edges)).not.toContainEqual({
      source: 'cp1',
      destination: 'cp2',
    });
  });

  test('unknown when they ran together only shortly', () => {
    const [cp1, cp2] = [server('cp1').boots(T0, { until: T0 + 31 * SEC }), server('cp2').boots(T0 + 15 * SEC)];
    expect(cell(observe([cp1, cp2]), 'cp1', 'cp2').state).toBe('unknown');
  });

  test('unknown when they never ran together', () => {
    const [cp1, cp2] = [server('cp1').boots(T0), server('cp2').boots(T0 + 10 * MIN)];
    expect(observe([cp1, cp2]).discovery.map(({ state }) => state)).toEqual(['unknown', 'unknown']);
  });

  test('unknown when neither start is among the records', () => {
    const [cp1, cp2] = [server('cp1'), server('cp2')];
    for (const s of [cp1, cp2]) {
      s.uid = `boot of ${s.name}`;
      s.renews(T0, T0 + 4 * MIN);
      s.request(T0, { ref: null, uri: '/version' });
    }
    expect(observe([cp1, cp2]).discovery.map(({ state }) => state)).toEqual(['unknown', 'unknown']);
  });
});

describe('what does not count', () => {
  test('refused connections while the destination starts', () => {
    const cp1 = server('cp1').boots(T0, { until: T0 + 4 * MIN });
    const cp2 = server('cp2').boots(T0 + MIN, { until: T0 + 4 * MIN });
    learns(cp2, cp1, T0 + MIN + 5 * SEC);
    failsToLearn(cp1, cp2, T0 + MIN + 3 * SEC, REFUSED);
    learns(cp1, cp2, T0 + MIN + 12 * SEC);
    const snapshot = observe([cp1, cp2]);
    expect(cell(snapshot, 'cp1', 'cp2')).toMatchObject({ state: 'ok', failures: 0 });
    expect(only(snapshot, 'peer-call-failure')).toEqual([]);
  });

  test('errors of a peer that is down', () => {
    const [cp1, cp2] = [server('cp1').boots(T0, { until: T0 + 4 * MIN }), server('cp2').boots(T0)];
    learns(cp1, cp2, T0 + 15 * SEC);
    cp2.stops(T0 + 70 * SEC);
    for (const at of [80, 100, 140]) failsToLearn(cp1, cp2, T0 + at * SEC, REFUSED);
    expect(only(observe([cp1, cp2]), 'peer-call-failure')).toEqual([]);
  });

  test('the farewell of peers that stop together, in the second of the last call', () => {
    const [cp1, cp2] = two();
    learns(cp1, cp2, T0 + 15 * SEC);
    cp2.stops(T0 + 4 * MIN + 20 * MS);
    cp1.stops(T0 + 4 * MIN + 10 * MS);
    const noPort = `failed to get host port info from identity lease for server ${cp2.identity}: missing port in address`;
    const error = `Error syncing discovery for peer lease ${cp2.identity}: ${noPort}`;
    cp1.says(T0 + 4 * MIN + 40 * MS, 'I', 'peer_discovery.go', error);
    expect(cell(observe([cp1, cp2]), 'cp1', 'cp2')).toMatchObject({ state: 'ok', failures: 0 });
    cp1.says(T0 + 3 * MIN, 'I', 'peer_discovery.go', error);
    expect(cell(observe([cp1, cp2]), 'cp1', 'cp2')).toMatchObject({ state: 'failing', failures: 1 });
  });

  test('the farewell of a peer of which there are no records, once the source itself stops', () => {
    const [cp1, cp2] = [server('cp1').boots(T0, { until: T0 + 2 * MIN }), server('cp2')];
    const noPort = `failed to get host port info from identity lease for server ${cp2.identity}: missing port in address`;
    const error = `Error syncing discovery for peer lease ${cp2.identity}: ${noPort}`;
    // What names the peer; while it starts it counts for nothing.
    queryError(cp1, cp2, T0 + 3 * SEC, '/apis', 'discovery request failed with status: 503');
    cp1.stops(T0 + 2 * MIN).says(T0 + 2 * MIN + 30 * MS, 'I', 'peer_discovery.go', error);
    const failures = () => observe([cp1]).discovery.map((one) => `${one.destination} ${one.failures}`);
    expect(failures()).toContain(`${cp2.identity} 0`);
    cp1.says(T0 + MIN, 'I', 'peer_discovery.go', error);
    expect(failures()).toContain(`${cp2.identity} 1`);
  });

  test('`missing port in address` for some seconds after a start', () => {
    const [cp1, cp2] = two();
    const error = `failed to get host port info from identity lease for server ${cp2.identity}: missing port in address`;
    for (let at = 2; at < 10; at += 1)
      cp1.says(
        T0 + at * SEC,
        'I',
        'peer_discovery.go',
        `Error syncing discovery for peer lease ${cp2.identity}: ${error}`,
      );
    learns(cp1, cp2, T0 + 12 * SEC);
    expect(cell(observe([cp1, cp2]), 'cp1', 'cp2')).toMatchObject({ state: 'ok', failures: 0 });
  });
});

describe('calls that go on failing', () => {
  test('are blamed on the source when nothing it calls answers', () => {
    const [cp1, cp2] = two();
    for (const at of [20, 40, 60]) failsToLearn(cp1, cp2, T0 + at * SEC, UNTRUSTED);
    expect(only(observe([cp1, cp2]), 'peer-call-failure')).toMatchObject([
      { server: 'cp1', blamed: 'source', cause: 'unknown-authority', certainty: 'certain', recovered: false, count: 6 },
    ]);
  });

  test('keep their subject while the answers of other peers are still open', () => {
    const [cp1, cp2, cp3] = [server('cp1').boots(T0, { until: T0 + 4 * MIN }), server('cp2'), server('cp3')];
    const blamed = () =>
      only(observe([cp1], 'log'), 'peer-call-failure').map((o) => [o.server, o.blamed, o.edges.length]);
    const noRoute = (to: string) => `dial tcp ${to}: connect: no route to host`;
    for (const at of [20, 40, 60]) failsToLearn(cp1, cp2, T0 + at * SEC, noRoute(cp2.advertises));
    expect(blamed()).toEqual([[cp2.identity, 'destination', 1]]);
    calls(cp1, cp3, T0 + 70 * SEC, '/api', '');
    expect(blamed()).toEqual([['cp1', 'source', 1]]);
    failsToLearn(cp1, cp3, T0 + 71 * SEC, noRoute(cp3.advertises));
    expect(blamed()).toEqual([['cp1', 'source', 1]]);
    for (const at of [90, 110]) failsToLearn(cp1, cp3, T0 + at * SEC, noRoute(cp3.advertises));
    expect(blamed()).toEqual([['cp1', 'source', 2]]);
  });

  test('with 401 are certain only where another edge clears the other end', () => {
    const servers = ['cp1', 'cp2', 'cp3'].map((name) => server(name).boots(T0, { until: T0 + 4 * MIN }));
    const [cp1, cp2, cp3] = servers;
    if (cp1 === undefined || cp2 === undefined || cp3 === undefined) throw new Error('no servers');
    for (const [a, b] of [
      [cp2, cp1],
      [cp3, cp1],
      [cp1, cp3],
      [cp3, cp2],
    ] as const)
      learns(a, b, T0 + 15 * SEC);
    const rejection = { verb: 'get', uri: '/apis', ref: null, ...PEER, user: {}, stages: 'S', status: UNAUTHORIZED };
    cp2.request(T0 + 20 * SEC, { ...rejection, from: [cp1.ip] });
    expect(only(observe(servers), 'peer-call-failure')[0]).toMatchObject({
      cause: 'unauthorized',
      certainty: 'certain',
    });
    const alone = two();
    alone[1].request(T0 + 20 * SEC, { ...rejection, from: ['10.0.0.11'] });
    expect(only(observe(alone), 'peer-call-failure')[0]).toMatchObject({ cause: 'unauthorized', certainty: 'likely' });
  });
});
