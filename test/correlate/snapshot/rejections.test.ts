/** Why a destination answers 401: the lines of its own log that come at the times of these answers. */
import { describe, expect, test } from '@jest/globals';
import {
  calls,
  cluster,
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
  type TestServer,
  UNAUTHORIZED,
} from '../kit.js';

const UNKNOWN = 'x509: certificate signed by unknown authority';
const WRONG_NAME = 'x509: subject with cn=someone-else is not in the allowed list';
const certificate = (number: number) => `verifying certificate SN=${number}, SKID=01:02, AKID=03:04 failed: ${UNKNOWN}`;

function logs(destination: TestServer, at: number, error: string): void {
  destination.says(at, 'E', 'authentication.go', `"Unable to authenticate the request" err=${JSON.stringify(error)}`);
}

/** A fetch that gets 401: the source's two lines for each path, the destination's event, and its line unless `error` is ''. */
function rejected(source: TestServer, destination: TestServer, at: number, error: string): void {
  for (const [step, path] of ['/api', '/apis'].entries()) {
    const when = at + step * 10 * MS;
    calls(source, destination, when, path, '');
    if (error !== '') logs(destination, when + 2 * MS, error);
    const event = { verb: 'get', uri: path, ref: null, ...PEER, user: {}, from: [source.ip] };
    destination.request(when + MS, { ...event, stages: 'S', status: UNAUTHORIZED });
    queryError(source, destination, when + 4 * MS, path, 'discovery request failed with status: 401');
  }
}

function two() {
  return [server('cp1').boots(T0, { until: T0 + 4 * MIN }), server('cp2').boots(T0, { until: T0 + 4 * MIN })] as const;
}

describe('the finding names', () => {
  test('the common name that is not allowed, and quotes the line', () => {
    const [cp1, cp2] = two();
    for (const at of [20, 21, 60]) rejected(cp1, cp2, T0 + at * SEC, `[${WRONG_NAME}, ${certificate(1)}]`);
    for (const which of ['all', 'log'] as const) {
      const [found] = only(observe([cp1, cp2], which), 'peer-call-failure');
      expect(found).toMatchObject({
        server: 'cp1',
        rejection: 'name-not-allowed',
        names: ['someone-else'],
        error: WRONG_NAME,
      });
      expect(found?.evidence.map(({ input }) => input)).toContain('cp2-kube-apiserver.log');
      expect(found?.evidence.map(({ quote }) => quote).join()).toContain(WRONG_NAME);
    }
  });

  test('a destination without a front-proxy CA, although either end would explain the calls', () => {
    const [cp1, cp2] = two();
    for (const at of [20, 21]) rejected(cp1, cp2, T0 + at * SEC, certificate(1));
    expect(only(observe([cp1, cp2]), 'peer-call-failure')).toMatchObject([
      { server: 'cp2', blamed: 'destination', rejection: 'not-configured', certainty: 'certain' },
    ]);
  });

  test('the source of a certificate that has expired; the CA on the other side may have, too', () => {
    const [cp1, cp2] = two();
    const old =
      'x509: certificate has expired or is not yet valid: current time 2026-05-05T10:00:00Z is after 2026-05-01T00:00:00Z';
    for (const at of [20, 21]) rejected(cp1, cp2, T0 + at * SEC, `[${old}, ${certificate(1)}]`);
    expect(only(observe([cp1, cp2]), 'peer-call-failure')).toMatchObject([
      { server: 'cp1', rejection: 'expired', certainty: 'likely' },
    ]);
  });
});

describe('requests of clients', () => {
  const refused = { code: 401, there: { user: {}, status: UNAUTHORIZED, stages: 'S' } };
  const old =
    'x509: certificate has expired or is not yet valid: current time 2026-05-05T10:00:00Z is after 2026-05-05T09:00:00Z';

  test('that get 401 although discovery worked before, tell of a certificate that expired meanwhile', () => {
    const [cp1, cp2] = cluster(['cp1', 'cp2']) as [TestServer, TestServer];
    proxied(cp1, cp2, T0 + 30 * SEC);
    for (const at of [60, 70]) {
      logs(cp2, T0 + at * SEC + 3 * MS, `[${old}, ${certificate(1)}]`);
      proxied(cp1, cp2, T0 + at * SEC, refused);
    }
    expect(only(observe([cp1, cp2]), 'peer-call-failure')).toMatchObject([
      { server: 'cp1', cause: 'unauthorized', rejection: 'expired', count: 2, recovered: false, workedBefore: true },
    ]);
    proxied(cp1, cp2, T0 + 90 * SEC);
    expect(only(observe([cp1, cp2]), 'peer-call-failure')).toMatchObject([{ count: 2, recovered: true }]);
  });

  test('that get 401 without a word in the log are told as well', () => {
    const [cp1, cp2] = cluster(['cp1', 'cp2']) as [TestServer, TestServer];
    for (const at of [60, 70]) proxied(cp1, cp2, T0 + at * SEC, refused);
    expect(only(observe([cp1, cp2], 'audit'), 'peer-call-failure')).toMatchObject([
      { server: 'cp1', rejection: null, count: 2, certainty: 'likely' },
    ]);
  });

  test('that watch, or that the source itself answers with 401, are no sign of it', () => {
    const [cp1, cp2] = cluster(['cp1', 'cp2']) as [TestServer, TestServer];
    proxied(cp1, cp2, T0 + 60 * SEC, { ...refused, verb: 'watch' });
    proxied(cp1, cp2, T0 + 61 * SEC);
    cp1.request(T0 + 62 * SEC, { user: {}, status: UNAUTHORIZED, stages: 'S' });
    expect(only(observe([cp1, cp2]), 'peer-call-failure')).toEqual([]);
  });
});

describe('nothing more is said than the log tells', () => {
  test('where the lines are not there', () => {
    const [cp1, cp2] = two();
    for (const at of [20, 21]) rejected(cp1, cp2, T0 + at * SEC, '');
    expect(only(observe([cp1, cp2]), 'peer-call-failure')).toMatchObject([
      { server: 'cp1', rejection: null, names: [], error: 'discovery request failed with status: 401' },
    ]);
  });

  test('where they are of another client', () => {
    const [cp1, cp2] = two();
    for (const at of [20, 60, 100]) rejected(cp1, cp2, T0 + at * SEC, '');
    for (const at of [30, 40, 50, 60, 70]) logs(cp2, T0 + at * SEC, `[${UNKNOWN}, ${certificate(7)}]`);
    expect(only(observe([cp1, cp2]), 'peer-call-failure')).toMatchObject([{ rejection: null }]);
  });

  test('nor is the reason taken from another client that fails more often', () => {
    const [cp1, cp2] = two();
    for (const at of [20, 60, 100]) rejected(cp1, cp2, T0 + at * SEC, `[${WRONG_NAME}, ${certificate(1)}]`);
    for (let at = 15; at < 110; at += 1) logs(cp2, T0 + at * SEC, `[${UNKNOWN}, ${certificate(7)}]`);
    expect(only(observe([cp1, cp2]), 'peer-call-failure')).toMatchObject([{ rejection: 'name-not-allowed' }]);
  });

  test('where two destinations say different things', () => {
    const [cp1, cp2] = two();
    const cp3 = server('cp3').boots(T0, { until: T0 + 4 * MIN });
    for (const at of [20, 21]) rejected(cp1, cp2, T0 + at * SEC, `[${WRONG_NAME}, ${certificate(1)}]`);
    for (const at of [22, 23]) rejected(cp1, cp3, T0 + at * SEC, `[${UNKNOWN}, ${certificate(1)}]`);
    expect(only(observe([cp1, cp2, cp3]), 'peer-call-failure')).toMatchObject([{ server: 'cp1', rejection: null }]);
  });
});
