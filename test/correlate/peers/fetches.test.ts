import { describe, expect, test } from '@jest/globals';
import { FetchLog } from '../../../src/correlate/peers/fetches.js';
import { Writers } from '../../../src/correlate/writer.js';
import { events, MIN, PEER, type RequestOptions, refOf, server, T0, UNAUTHORIZED } from '../kit.js';

/** What a destination's fetch log makes of one request. */
function told(options: RequestOptions): string[] {
  const log = new FetchLog();
  const life = new Writers().of(refOf('cp2-audit.log')).current;
  for (const event of events(
    server('cp2').request(T0, { verb: 'get', uri: '/apis', ref: null, ...PEER, from: ['10.0.0.11'], ...options }).audit,
  ))
    log.take(event, life);
  return [...log.all()].flatMap(({ from, ok, rejected, replaced, refused, users }) =>
    Object.entries({ ok, rejected, replaced, refused })
      .filter(([, times]) => times.total > 0)
      .map(([kind, times]) => [from, kind, times.total, ...users.names()].join(' ')),
  );
}

describe('FetchLog', () => {
  test.each<[string, RequestOptions, string[]]>([
    ['a fetch as it should be', {}, ['10.0.0.11 ok 1']],
    ['the /api half, which counts with /apis', { uri: '/api' }, []],
    [
      'a destination that reads the uid header',
      { user: { ...PEER.user, uid: 'system:apiserver' } },
      ['10.0.0.11 ok 1'],
    ],
    ['a destination that is not ready', { code: 503 }, ['10.0.0.11 refused 1']],
    ['a rejected identity', { user: {}, stages: 'S', status: UNAUTHORIZED }, ['10.0.0.11 rejected 1']],
    [
      'a certificate taken for the user',
      { user: { username: 'front-proxy-client' } },
      ['10.0.0.11 replaced 1 front-proxy-client'],
    ],
    ['a client of the same path with a user agent', { user: { username: 'alice' }, userAgent: 'kubectl' }, []],
    ['a client behind a proxy', { user: { username: 'alice' }, from: ['192.0.2.1', '10.0.0.11'] }, []],
    ["the server's own client", { user: { ...PEER.user, uid: 'f2b5' }, from: ['::1'] }, []],
    ['another path', { uri: '/apis?timeout=32s' }, []],
    ['what was only received', { stages: 'R' }, []],
  ])('%s', (_, options, expected) => {
    expect(told(options)).toEqual(expected);
  });

  test('is bounded', () => {
    const log = new FetchLog(10);
    const life = new Writers().of(refOf('cp2-audit.log')).current;
    const cp2 = server('cp2');
    for (let at = 0; at < 50; at += 1)
      cp2.request(T0 + at, { verb: 'get', uri: '/apis', ref: null, ...PEER, from: [`10.0.1.${at}`] });
    for (const event of events(cp2.audit)) log.take(event, life);
    expect([...log.all()]).toHaveLength(10);
  });
});

test('of several senders that had one address in turn, what came while one ran is its own', () => {
  const cp2 = server('cp2');
  const ask = (at: number, more: RequestOptions = {}) =>
    cp2.request(at, { verb: 'get', uri: '/apis', ref: null, ...PEER, from: ['10.0.0.11'], ...more });
  ask(T0);
  ask(T0 + MIN, { user: {}, stages: 'S', status: UNAUTHORIZED });
  ask(T0 + 10 * MIN);
  ask(T0 + 11 * MIN, { code: 403 });
  const log = new FetchLog();
  const life = new Writers().of(refOf('cp2-audit.log')).current;
  for (const event of events(cp2.audit)) log.take(event, life);
  const [all] = [...log.all()];
  const counts = (from: number, to: number) => {
    const found = all?.during([{ from, to }]);
    const [ok, rejected, forbidden] = [found?.ok, found?.rejected, found?.forbidden].map((times) => times?.total);
    return { ok, rejected, forbidden, at: found?.rejectedAt.list(), quotes: found?.forbiddenEvidence.list().length };
  };
  const rejectedAt = all?.rejectedAt.list();
  expect(counts(T0, T0 + 5 * MIN)).toEqual({ ok: 1, rejected: 1, forbidden: 0, at: rejectedAt, quotes: 0 });
  expect(counts(T0 + 9 * MIN, T0 + 12 * MIN)).toEqual({ ok: 1, rejected: 0, forbidden: 1, at: [], quotes: 1 });
});
