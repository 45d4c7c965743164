/** Requests that a source could not pass on, as few logs of it as there may be. */
import { describe, expect, test } from '@jest/globals';
import {
  callError,
  calls,
  cluster,
  correlate,
  inputsOf,
  MIN,
  MS,
  observe,
  only,
  proxied,
  SEC,
  server,
  T0,
  type TestServer,
} from '../kit.js';

const REFUSED = 'dial tcp 10.0.0.12:6443: connect: connection refused';
const PATH = '/apis/batch/v1/namespaces/shop/jobs';

/** cp1 passes a list of jobs on to cp2, which is down; its policy may leave the request out. */
function lonely(recorded = true) {
  const [cp1, cp2] = [server('cp1').boots(T0, { until: T0 + 3 * MIN }), server('cp2')];
  for (const at of [T0 + MIN, T0 + MIN + 5 * SEC]) {
    calls(cp1, cp2, at, PATH);
    callError(cp1, at + 2 * MS, REFUSED);
    if (recorded) cp1.request(at, { code: 503, takes: 5 * MS });
  }
  return cp1;
}

const failures = (snapshot: ReturnType<typeof observe>) =>
  only(snapshot, 'proxy-failure').map(({ server: source, cause, count }) => [source, cause, count]);

test('the audit log of the only server known adds to what its process log says, and takes nothing away', () => {
  const cp1 = lonely();
  expect(failures(observe([cp1], 'log'))).toEqual([['cp1', 'refused', 2]]);
  expect(failures(observe([cp1]))).toEqual([['cp1', 'refused', 2]]);
  expect(observe([cp1]).proxied.failed).toBe(2);
});

test('so does an audit log whose policy leaves these requests out', () => {
  expect(failures(observe([lonely(false)]))).toEqual([['cp1', 'refused', 2]]);
});

test('an error of a request that nobody dialled for is no request to a server without a name', () => {
  const cp1 = server('cp1').boots(T0, { until: T0 + 3 * MIN });
  callError(cp1, T0 + MIN, 'http2: client connection lost');
  const snapshot = correlate(inputsOf([cp1]));
  expect(only(snapshot, 'proxy-failure').map(({ edges }) => edges)).toEqual([[]]);
});

const LOST = 'http2: client connection lost';
const CANCELED = 'context canceled';

/** A request of cp1 that waits in vain for a peer; `error` is what its log says at the end. */
function hangs(source: TestServer, destination: TestServer, at: number, error: string, path = PATH, takes = 20 * SEC) {
  source.request(at, { uri: path, code: 503, takes });
  calls(source, destination, at + 4 * MS, path);
  callError(source, at + takes - MS, error);
}

const edgesOf = (snapshot: ReturnType<typeof observe>) =>
  only(snapshot, 'proxy-failure').map((o) => [o.server, o.edges.map((e) => `${e.source} ${e.destination}`)]);

describe('requests that overlap', () => {
  /** cp1 loses cp2 and goes on with cp3. */
  function oneWayCut() {
    const [cp1, cp2, cp3] = cluster(['cp1', 'cp2', 'cp3'], { until: T0 + 5 * MIN }) as [
      TestServer,
      TestServer,
      TestServer,
    ];
    for (let n = 0; n < 4; n += 1) {
      const at = T0 + MIN + n * 25 * SEC;
      hangs(cp1, cp2, at, n % 2 === 0 ? CANCELED : LOST);
      // The newest call before the error is one of cp3, which was well.
      proxied(cp1, cp3, at + 19 * SEC, { uri: PATH });
      proxied(cp3, cp2, at + 10 * SEC, { uri: PATH });
    }
    return [cp1, cp2, cp3] as const;
  }

  test('leave the error to the request that ended with it', () => {
    const servers = oneWayCut();
    expect(edgesOf(observe(servers))).toEqual([['cp1', ['cp1 cp2']]]);
    expect(only(observe(servers), 'proxy-failure')[0]).toMatchObject({
      source: 'cp1',
      blamed: 'source',
      causes: ['connection-lost', 'timeout'],
      working: [
        { source: 'cp1', destination: 'cp3' },
        { source: 'cp3', destination: 'cp2' },
      ],
    });
  });

  test('do so in any order of the inputs', () => {
    const inputs = inputsOf(oneWayCut());
    for (let turn = 0; turn < inputs.length; turn += 1) {
      const turned = [...inputs.slice(turn), ...inputs.slice(0, turn)];
      expect(edgesOf(correlate(turned))).toEqual([['cp1', ['cp1 cp2']]]);
    }
  });

  test('and fit calls to several peers name none', () => {
    const [cp1, cp2, cp3] = oneWayCut();
    expect(edgesOf(observe([cp1, cp2, cp3], 'log'))).toEqual([['cp1', []]]);
  });

  test('and are the only ones that were open are told from the process log alone', () => {
    const [cp1, cp2] = cluster(['cp1', 'cp2'], { until: T0 + 5 * MIN }) as [TestServer, TestServer];
    hangs(cp1, cp2, T0 + MIN, LOST);
    expect(edgesOf(observe([cp1, cp2], 'log'))).toEqual([['cp1', ['cp1 cp2']]]);
  });

  test('for one path within a moment, of which one reached its peer, leave the other call', () => {
    const [cp1, cp2, cp3] = cluster(['cp1', 'cp2', 'cp3'], { until: T0 + 5 * MIN }) as [
      TestServer,
      TestServer,
      TestServer,
    ];
    hangs(cp1, cp2, T0 + MIN, CANCELED);
    proxied(cp1, cp3, T0 + MIN + 2 * MS, { uri: PATH });
    expect(edgesOf(observe([cp1, cp2, cp3]))).toEqual([['cp1', ['cp1 cp2']]]);
  });

  test('for one path within a moment to two peers name neither', () => {
    const [cp1, cp2, cp3] = cluster(['cp1', 'cp2', 'cp3'], { until: T0 + 5 * MIN }) as [
      TestServer,
      TestServer,
      TestServer,
    ];
    hangs(cp1, cp2, T0 + MIN, CANCELED);
    calls(cp1, cp3, T0 + MIN + 2 * MS, PATH);
    expect(edgesOf(observe([cp1, cp2, cp3]))).toEqual([['cp1', []]]);
  });

  test('of a client that went away at once are no time-outs', () => {
    const [cp1, cp2] = cluster(['cp1', 'cp2'], { until: T0 + 5 * MIN }) as [TestServer, TestServer];
    hangs(cp1, cp2, T0 + MIN, CANCELED, PATH, 300 * MS);
    expect(only(observe([cp1, cp2]), 'proxy-failure').map(({ causes }) => causes)).toEqual([['canceled']]);
  });
});

describe('a peer that stands still', () => {
  /** cp2 alone serves jobs; it writes nothing from 60 s to 110 s, and its endpoint entry runs out after 20 s. */
  function still(fails: readonly string[]) {
    const until = T0 + 5 * MIN;
    const servers = cluster(['cp1', 'cp2', 'cp3'], { until }) as [TestServer, TestServer, TestServer];
    const [cp1, cp2, cp3] = servers;
    const [from, to] = [T0 + MIN, T0 + 110 * SEC];
    for (const lines of [cp2.audit, cp2.log])
      lines.splice(0, lines.length, ...lines.filter(({ at }) => at < from || at > to));
    for (const source of [cp1, cp3]) {
      for (let at = T0 + 30 * SEC; at < until; at += 5 * SEC)
        if (at < from || at > to) proxied(source, cp2, at, { uri: PATH });
      if (!fails.includes(source.name)) continue;
      hangs(source, cp2, from + SEC, CANCELED);
      for (let at = from + 22 * SEC; at < to; at += 3 * SEC) unresolved(source, at);
      proxied(source, cp2, from + 35 * SEC, { uri: PATH, takes: 15 * SEC, there: { takes: 5 * MS }, delay: 14 * SEC });
      proxied(source, source === cp1 ? cp3 : cp1, from + 2 * SEC, {
        ref: { resource: 'cronjobs', apiGroup: 'batch', apiVersion: 'v1' },
      });
    }
    return servers;
  }

  function unresolved(source: TestServer, at: number) {
    source.request(at, {
      uri: PATH,
      takes: 3 * MS,
      status: {
        metadata: {},
        status: 'Failure',
        message: 'Error getting ip and port info of the remote server while proxying',
        reason: 'ServiceUnavailable',
        code: 503,
      },
    });
    source.says(
      at + MS,
      'E',
      'peerproxy_handler.go',
      '"error finding serviceable-by apiservers for the requested resource" err="missing port in address" gvr="batch/v1, Resource=jobs"',
    );
  }

  test('is at fault for what no source could pass on to it', () => {
    const snapshot = observe(still(['cp1', 'cp3']));
    expect(edgesOf(snapshot)).toEqual([
      ['cp2', ['cp1 cp2']],
      ['cp2', ['cp3 cp2']],
    ]);
    const [first] = only(snapshot, 'proxy-failure');
    expect(first).toMatchObject({ blamed: 'destination', source: 'cp1', cause: 'no-endpoint' });
    expect(first?.silent).toEqual([{ server: 'cp2', from: T0 + 56 * SEC, to: T0 + 109 * SEC }]);
  });

  test('is known by being the only one with the resource where audit logs are all there is', () => {
    expect(edgesOf(observe(still(['cp1', 'cp3']), 'audit'))).toEqual([
      ['cp2', ['cp1 cp2']],
      ['cp2', ['cp3 cp2']],
    ]);
  });

  test('is not said to be at fault by one source alone', () => {
    const [cp1, cp2, cp3] = still(['cp1']);
    for (let at = T0 + MIN; at < T0 + 80 * SEC; at += 5 * SEC) proxied(cp3, cp2, at, { uri: PATH });
    expect(edgesOf(observe([cp1, cp2, cp3]))).toEqual([['cp1', ['cp1 cp2']]]);
  });

  test('is no slow way', () => {
    const latency = (servers: readonly TestServer[]) =>
      only(observe(servers), 'proxy-latency').find(
        ({ edges }) => edges[0]?.source === 'cp1' && edges[0]?.destination === 'cp2',
      );
    expect(latency(still(['cp1', 'cp3']))).toMatchObject({ slow: 0, lagging: 0 });
    const [cp1, cp2, cp3] = still(['cp1', 'cp3']);
    proxied(cp1, cp2, T0 + 4 * MIN + SEC, { uri: PATH, takes: 3 * SEC, there: { takes: 5 * MS } });
    expect(latency([cp1, cp2, cp3])).toMatchObject({ slow: 1, lagging: 1 });
  });
});

describe('a server that is cut off from all others', () => {
  const CRONJOBS = '/apis/batch/v1/cronjobs';

  test('is named once for what failed from it and to it', () => {
    const servers = cluster(['cp1', 'cp2', 'cp3'], { until: T0 + 5 * MIN }) as [TestServer, TestServer, TestServer];
    const [cp1, cp2, cp3] = servers;
    for (let n = 0; n < 3; n += 1) {
      const at = T0 + MIN + n * 10 * SEC;
      hangs(cp1, cp2, at, LOST);
      hangs(cp1, cp3, at + 2 * SEC, LOST);
      hangs(cp3, cp1, at + 3 * SEC, LOST, CRONJOBS);
      proxied(cp3, cp2, at + 4 * SEC, { ref: { resource: 'cronjobs', apiGroup: 'batch', apiVersion: 'v1' } });
    }
    expect(edgesOf(observe(servers))).toEqual([
      ['cp1', ['cp1 cp2', 'cp1 cp3']],
      ['cp1', ['cp3 cp1']],
    ]);
    expect(only(observe(servers), 'proxy-failure').map(({ blamed }) => blamed)).toEqual(['both', 'both']);
  });
});

test('the only peer that was down is the one that did not answer, as audit logs alone tell', () => {
  const servers = cluster(['cp1', 'cp2', 'cp3'], { until: T0 + 5 * MIN }) as [TestServer, TestServer, TestServer];
  const [cp1, cp2, cp3] = servers;
  for (const destination of [cp2, cp3]) proxied(cp1, destination, T0 + MIN, { uri: PATH });
  cp2.dies(T0 + 2 * MIN);
  for (const at of [T0 + 2 * MIN + SEC, T0 + 2 * MIN + 5 * SEC]) cp1.request(at, { uri: PATH, code: 503 });
  expect(edgesOf(observe(servers, 'audit'))).toEqual([['cp1', ['cp1 cp2']]]);
});

test('of two servers that had an address one after the other, the one that had it then is named', () => {
  const [cp1, cp2, cp3] = cluster(['cp1', 'cp2', 'cp3'], { until: T0 + 5 * MIN }) as [
    TestServer,
    TestServer,
    TestServer,
  ];
  const at = T0 + 2 * MIN;
  cp2.dies(at);
  const heir = server('cp9', { ip: cp2.ip }).boots(at + 3 * SEC, { until: T0 + 5 * MIN });
  cp1.request(at + 3 * SEC + 500 * MS, { uri: PATH, code: 503, takes: 3 * MS });
  calls(cp1, cp2, at + 3 * SEC + 501 * MS, PATH);
  callError(cp1, at + 3 * SEC + 502 * MS, REFUSED);
  const snapshot = observe([cp1, cp2, cp3, heir]);
  expect(edgesOf(snapshot)).toEqual([['cp1', ['cp1 cp2']]]);
  expect(only(snapshot, 'proxy-failure')[0]?.destinationDown).toBe(true);
});
