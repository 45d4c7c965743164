/** The four kinds of 404, from what the servers of a cluster answer beside it. */
import { describe, expect, test } from '@jest/globals';
import {
  CLIENT,
  calls,
  cluster,
  JOBS,
  learns,
  MIN,
  MS,
  observe,
  only,
  proxied,
  SEC,
  server,
  T0,
  type TestServer,
  UNKNOWN_TYPE,
} from '../kit.js';

function pair(): [TestServer, TestServer] {
  const [cp1, cp2] = cluster(['cp1', 'cp2']);
  if (cp1 === undefined || cp2 === undefined) throw new Error('no servers');
  return [cp1, cp2];
}

/** `server kind count` of what was asked of jobs. */
function kinds(servers: readonly TestServer[], which: 'all' | 'audit' = 'audit'): string[] {
  return observe(servers, which)
    .notFound.filter(({ resource }) => resource !== 'leases.coordination.k8s.io/v1')
    .map(({ server: name, kind, count }) => `${name} ${kind} ${count}`);
}

const ABSENT = { metadata: {}, status: 'Failure', message: 'jobs.batch "x" not found', reason: 'NotFound', code: 404 };
const X = { ...JOBS, name: 'x' };

describe('a 404 is', () => {
  test('wrong when a live peer serves the resource', () => {
    const [cp1, cp2] = pair();
    cp2.request(T0 + MIN);
    cp1.request(T0 + MIN, { code: 404, userAgent: 'old-tool/1.0' }).request(T0 + MIN + SEC, { status: UNKNOWN_TYPE });
    expect(kinds([cp1, cp2])).toEqual(['cp1 wrong 2']);
    expect(only(observe([cp1, cp2]), 'not-found').find(({ kind }) => kind === 'wrong')).toMatchObject({
      server: 'cp1',
      servedBy: ['cp2'],
      basis: 'requests',
      certainty: 'certain',
      clients: ['kubectl/v1.36.3', 'old-tool/1.0'],
    });
  });

  test("the object's when its message names it", () => {
    const [cp1, cp2] = pair();
    cp2.request(T0 + MIN);
    cp1.request(T0 + MIN, { ref: X, verb: 'get', status: ABSENT });
    expect(kinds([cp1, cp2])).toEqual(['cp1 object 1']);
  });

  test("the object's when a destination gave it and the source passed it back bare", () => {
    const [cp1, cp2] = pair();
    proxied(cp1, cp2, T0 + MIN);
    proxied(cp1, cp2, T0 + MIN + SEC, { ref: X, verb: 'get', code: 404, there: { status: ABSENT } });
    expect(kinds([cp1, cp2])).toEqual(['cp1 object 1', 'cp2 object 1']);
  });

  test('of an unknown type when nobody serves it', () => {
    const [cp1, cp2] = pair();
    cp1.request(T0 + MIN, {
      ref: { resource: 'nosuchthings', apiGroup: 'apps', apiVersion: 'v1' },
      status: UNKNOWN_TYPE,
    });
    expect(kinds([cp1, cp2])).toEqual(['cp1 unknown-type 1']);
  });

  test('not wrong for custom resources, which never pass through the peer proxy', () => {
    const [cp1, cp2] = pair();
    const widgets = { resource: 'widgets', apiGroup: 'example.com', apiVersion: 'v1' };
    cp2.request(T0 + MIN, { ref: widgets });
    cp1.request(T0 + MIN, { ref: widgets, code: 404 });
    expect(kinds([cp1, cp2])).toEqual(['cp1 undecided 1']);
  });

  test('undecided while either server has just started', () => {
    const [cp1, cp2] = pair();
    cp2.request(T0 + MIN);
    cp1.request(T0 + 5 * SEC, { code: 404 });
    expect(kinds([cp1, cp2])).toEqual(['cp1 undecided 1']);
  });

  test('right when the only peer that has it was down', () => {
    const cp1 = server('cp1').boots(T0, { until: T0 + 5 * MIN });
    const cp2 = server('cp2')
      .boots(T0)
      .request(T0 + 30 * SEC)
      .stops(T0 + 70 * SEC);
    learns(cp1, cp2, T0 + 15 * SEC);
    cp1.request(T0 + 2 * MIN, { code: 404 });
    expect(kinds([cp1, cp2])).toEqual(['cp1 unknown-type 1']);
  });

  test('right before the first server that has it, of an unknown subresource, and undecided when it has just come', () => {
    const [cp1, cp2] = [server('cp1').boots(T0, { until: T0 + 4 * MIN }), server('cp2').boots(T0)];
    const sizes = { ...JOBS, name: 'x', subresource: 'scale' };
    cp1.request(T0 + MIN, { code: 404 }).request(T0 + 160 * SEC, { code: 404 });
    cp2.request(T0 + 30 * SEC, { code: 404 }).stops(T0 + 62 * SEC);
    cp2.boots(T0 + 150 * SEC, { version: 'v1.37.1', until: T0 + 4 * MIN });
    cp2.request(T0 + 170 * SEC).request(T0 + 171 * SEC, { ref: sizes, status: UNKNOWN_TYPE });
    expect(kinds([cp1, cp2])).toEqual(['cp1 undecided 1', 'cp1 unknown-type 1', 'cp2 unknown-type 2']);
  });

  test('undecided when it is bare and the log of a peer that may have given it is missing', () => {
    const [cp1, cp2] = pair();
    const cp3 = server('cp3').boots(T0, { until: T0 + 3 * MIN });
    for (const one of [cp1, cp2]) learns(one, cp3, T0 + 16 * SEC);
    cp2.request(T0 + MIN);
    cp1.request(T0 + MIN, { code: 404 });
    cp3.audit.length = 0;
    expect(kinds([cp1, cp2, cp3], 'all')).toEqual(['cp1 undecided 1']);
  });
});

describe('an answer that was passed back', () => {
  test('is taken out at its own time: an earlier one of nobody does not make it wrong', () => {
    const [cp1, cp2] = pair();
    cp1.request(T0 + 5 * SEC, { code: 404 });
    proxied(cp1, cp2, T0 + MIN);
    for (const at of [61, 62]) proxied(cp1, cp2, T0 + at * SEC, { code: 404, there: { status: ABSENT } });
    expect(kinds([cp1, cp2])).toEqual(['cp1 undecided 1', 'cp1 object 2', 'cp2 object 2']);
  });

  test('is not shown as a proof that others are wrong', () => {
    const [cp1, cp2] = pair();
    proxied(cp1, cp2, T0 + MIN);
    for (let at = 0; at < 3; at += 1)
      proxied(cp1, cp2, T0 + MIN + SEC + at * 20 * MS, { code: 404, there: { status: ABSENT } });
    cp1.request(T0 + MIN + SEC + 90 * MS, { code: 404, auditID: 'its own' });
    expect(kinds([cp1, cp2])).toEqual(['cp1 wrong 1', 'cp1 object 3', 'cp2 object 3']);
    const wrong = only(observe([cp1, cp2], 'audit'), 'not-found').find(({ kind }) => kind === 'wrong');
    expect(wrong?.evidence.map(({ quote }) => /auditID (.*)/.exec(quote)?.[1])).toEqual(['its own']);
  });

  test('is told by the call lines of the log, where the log of the peer that gave it is missing', () => {
    const [cp1, cp2] = pair();
    const absentee = server('cp9');
    cp2.request(T0 + 30 * SEC).request(T0 + MIN);
    cp1.request(T0 + MIN, { code: 404 }).request(T0 + 90 * SEC, { code: 404 });
    for (const at of [60, 150]) calls(cp1, absentee, T0 + at * SEC + 3 * MS, '/apis/batch/v1/namespaces/shop/jobs');
    cp1.says(T0 + 160 * SEC, 'I', 'controller.go', 'something later');
    expect(kinds([cp1, cp2], 'all')).toEqual(['cp1 wrong 1', 'cp1 object 1']);
    // A call that failed explains its line.
    cp1.request(T0 + MIN, { code: 503 });
    expect(kinds([cp1, cp2], 'all')).toEqual(['cp1 wrong 2']);
  });

  test('is not ruled out by a log that keeps another time', () => {
    const [cp1, cp2] = pair();
    const names = { ...JOBS, resource: 'cronjobs' };
    cp2.request(T0 + 30 * SEC).request(T0 + MIN);
    proxied(cp1, cp2, T0 + MIN, { ref: names });
    cp1.request(T0 + MIN, { code: 404 });
    calls(cp1, server('cp9'), T0 + 2 * MIN, '/api', '');
    cp1.says(T0 + 160 * SEC, 'I', 'controller.go', 'something later');
    expect(kinds([cp1, cp2], 'all')).toEqual(['cp1 wrong 1']);
    // The line of the pair, and that of the other request, two minutes off.
    const line = cp1.log.findIndex(({ text }) => text.includes('/cronjobs'));
    cp1.log.splice(line, 1);
    expect(kinds([cp1, cp2], 'all')).toEqual(['cp1 undecided 1']);
  });

  test('may be that of a server that asks and is never heard of otherwise', () => {
    const [cp1, cp2] = pair();
    cp2.request(T0 + MIN);
    cp1.request(T0 + MIN, { code: 404 });
    expect(kinds([cp1, cp2])).toEqual(['cp1 wrong 1']);
    for (const one of [cp1, cp2]) learns(server('cp9'), one, T0 + 30 * SEC);
    expect(kinds([cp1, cp2])).toEqual(['cp1 undecided 1']);
  });

  test('may be that of a server that asks all but one that nobody can reach', () => {
    const [cp1, cp2] = pair();
    const [unreached, unseen] = [server('cp3').boots(T0, { until: T0 + 3 * MIN }), server('cp4')];
    for (const source of [unreached, unseen])
      for (const destination of [cp1, cp2]) learns(source, destination, T0 + 20 * SEC);
    cp2.request(T0 + MIN);
    cp1.request(T0 + MIN, { ref: X, verb: 'get', code: 404 });
    expect(kinds([cp1, cp2, unreached])).toEqual(['cp1 undecided 1']);
  });

  test('may be that of a server whose audit log ends before', () => {
    const [cp1, cp2, cp3] = cluster(['cp1', 'cp2', 'cp3']);
    if (cp1 === undefined || cp2 === undefined || cp3 === undefined) throw new Error('no servers');
    cp2.request(T0 + 90 * SEC).request(T0 + 2 * MIN);
    cp1.request(T0 + 2 * MIN, { code: 404 }).request(T0 + 121 * SEC, { status: UNKNOWN_TYPE });
    expect(kinds([cp1, cp2, cp3])).toEqual(['cp1 wrong 2']);
    cp3.dies(T0 + 80 * SEC);
    expect(kinds([cp1, cp2, cp3])).toEqual(['cp1 wrong 1', 'cp1 undecided 1']);
  });

  test('says of its source at no other time that it serves the resource, where the audit log of who gave it is missing', () => {
    const [cp1, cp2, cp3] = cluster(['cp1', 'cp2', 'cp3']);
    if (cp1 === undefined || cp2 === undefined || cp3 === undefined) throw new Error('no servers');
    cp1.request(T0 + MIN, { status: UNKNOWN_TYPE });
    proxied(cp2, cp3, T0 + 2 * MIN);
    cp3.audit.length = 0;
    const found = (which: 'all' | 'audit') => kinds([cp1, cp2, cp3], which).filter((row) => row.includes('wrong'));
    expect(found('all')).toEqual([]);
    cp2.log.length = 0;
    expect(found('all')).toEqual([]);
    cp2.request(T0 + 40 * SEC);
    expect(found('all')).toEqual(['cp1 wrong 1']);
  });

  test('cannot be one of a server that is unseen where its source reached none of those that are seen', () => {
    const all = ['cp1', 'cp2', 'cp3', 'cp4'].map((name) => server(name).boots(T0, { until: T0 + 3 * MIN }));
    const [cp1, cp2, cp3, cp4] = all;
    if (cp1 === undefined || cp2 === undefined || cp3 === undefined || cp4 === undefined) throw new Error('no servers');
    for (const source of [cp2, cp3, cp4])
      for (const destination of all) if (source !== destination) learns(source, destination, T0 + 15 * SEC);
    cp2.request(T0 + MIN);
    cp1.request(T0 + MIN, { code: 404 });
    const inputs = [cp1, cp2, cp3];
    const wrong = () => only(observe(inputs, 'audit'), 'not-found').filter(({ kind }) => kind === 'wrong');
    expect(wrong().map((o) => [o.server, o.certainty])).toEqual([['cp1', 'possible']]);
    learns(cp1, cp3, T0 + 15 * SEC);
    expect(wrong()).toEqual([]);
  });

  test('may be that of a server of which nothing tells where its source passed such requests on before and after', () => {
    const [cp1, cp2] = pair();
    proxied(cp1, cp2, T0 + MIN);
    cp1.request(T0 + 65 * SEC, { code: 404 });
    expect(kinds([cp1, cp2])).toEqual(['cp1 wrong 1']);
    proxied(cp1, cp2, T0 + 70 * SEC);
    expect(kinds([cp1, cp2])).toEqual(['cp1 undecided 1']);
    // The call lines of the logs would tell of it.
    expect(kinds([cp1, cp2], 'all')).toEqual(['cp1 wrong 1']);
    cp1.request(T0 + 66 * SEC, { status: UNKNOWN_TYPE });
    expect(kinds([cp1, cp2])).toEqual(['cp1 wrong 1', 'cp1 undecided 1']);
  });

  test('makes a finding less certain where no record would tell of further servers', () => {
    const [cp1, cp2] = pair();
    cp2.request(T0 + MIN);
    cp1.request(T0 + MIN, { code: 404 });
    const certainty = (which: 'all' | 'audit' = 'audit') =>
      only(observe([cp1, cp2], which), 'not-found').find(({ kind }) => kind === 'wrong')?.certainty;
    expect(certainty('all')).toBe('certain');
    expect(certainty()).toBe('likely');
    cp2.request(T0 + 70 * SEC, { from: [CLIENT, '10.0.0.99'] });
    expect(certainty()).toBe('possible');
    cp2.request(T0 + 71 * SEC, { from: ['10.0.0.99'] });
    expect(certainty()).toBe('likely');
    cp1.request(T0 + MIN, { status: UNKNOWN_TYPE });
    expect(certainty()).toBe('certain');
  });
});

describe('what versions make likely', () => {
  const claims = { resource: 'resourceclaims', apiGroup: 'resource.k8s.io', apiVersion: 'v1' };
  const old = () => server('cp1', { version: 'v1.33.4' }).boots(T0, { until: T0 + 3 * MIN });

  test('counts for a peer that nobody learnt of, not for one that is known and was passed nothing', () => {
    const [cp1, cp2] = [old(), server('cp2').boots(T0, { until: T0 + 3 * MIN })];
    cp1.request(T0 + MIN, { ref: claims, code: 404 });
    expect(kinds([cp1, cp2])).toEqual(['cp1 wrong 1']);
    learns(cp1, cp2, T0 + 15 * SEC);
    expect(kinds([cp1, cp2])).toEqual(['cp1 undecided 1']);
  });

  test.each(['[1.33]', '1.33', 'kube=1.33', '[kube=1.33]'])(
    'is that of the version that --emulated-version=%s names',
    (value) => {
      const cp2 = server('cp2').boots(T0, { until: T0 + 3 * MIN, flags: { 'emulated-version': value } });
      const cp1 = old().request(T0 + MIN, { ref: claims, code: 404 });
      expect(kinds([cp1, cp2], 'all')).toEqual(['cp1 unknown-type 1']);
      expect(kinds([cp1, cp2])).toEqual(['cp1 wrong 1']);
    },
  );
});

describe('where the policy leaves out non-resource requests', () => {
  function thin(write: (cp1: TestServer, cp2: TestServer) => void) {
    const [cp1, cp2] = pair();
    cp2.request(T0 + 20 * SEC).request(T0 + 2 * MIN);
    write(cp1, cp2);
    for (const { audit } of [cp1, cp2])
      audit.splice(0, audit.length, ...audit.filter(({ text }) => text.includes('"objectRef"')));
    return [cp1, cp2];
  }

  test('a 404 before the first request passed on may be of a server that does not know yet', () => {
    const servers = thin((cp1, cp2) => {
      cp1.request(T0 + 20 * SEC, { status: UNKNOWN_TYPE });
      proxied(cp1, cp2, T0 + 25 * SEC);
    });
    expect(kinds(servers)).toEqual(['cp1 undecided 1']);
  });

  test('so may one soon after the start, and what is called wrong is shown', () => {
    const servers = thin((cp1) => {
      for (const [at, auditID] of ['early', 'early-too', 'late'].entries())
        cp1.request(T0 + (20 + at * 6) * SEC, { status: UNKNOWN_TYPE, auditID });
    });
    expect(kinds(servers)).toEqual(['cp1 wrong 2', 'cp1 undecided 1']);
    const wrong = only(observe(servers, 'audit'), 'not-found').filter(({ kind }) => kind === 'wrong');
    expect(wrong.map(({ evidence }) => evidence.map(({ quote }) => /auditID (.*)/.exec(quote)?.[1]))).toEqual([
      ['early-too', 'late'],
    ]);
  });
});

describe('a source that could not pass a request on', () => {
  test('failed it when it passed the resource on before', () => {
    const [cp1, cp2] = pair();
    proxied(cp1, cp2, T0 + MIN);
    cp1.request(T0 + 90 * SEC, { code: 503 }).request(T0 + 91 * SEC, { code: 503, verb: 'create' });
    const snapshot = observe([cp1, cp2]);
    expect(snapshot.proxied).toMatchObject({ total: 1, failed: 2 });
    expect(only(snapshot, 'proxy-failure')).toMatchObject([
      { server: 'cp1', count: 2, codes: [503], writes: 1, resources: ['jobs.batch/v1'], recovered: false },
    ]);
  });

  test('did not fail it when it arrived later after all', () => {
    const [cp1, cp2] = pair();
    proxied(cp1, cp2, T0 + MIN);
    proxied(cp1, cp2, T0 + 90 * SEC, { code: 503, takes: 20 * MS, delay: 41 * SEC, there: { code: 500 } });
    expect(observe([cp1, cp2]).proxied).toMatchObject({ total: 2, failed: 0 });
  });

  test('answered for itself when it serves the resource', () => {
    const [cp1, cp2] = pair();
    cp1.request(T0 + MIN).request(T0 + 90 * SEC, { code: 503 });
    expect(observe([cp1, cp2]).proxied.failed).toBe(0);
  });
});
