/** Calls and errors of a process log, joined: who was called, and what came of it. */
import { describe, expect, test } from '@jest/globals';
import { CallLog } from '../../../src/correlate/peers/call-log.js';
import { Writers } from '../../../src/correlate/writer.js';
import {
  callError,
  calls,
  type DatedLine,
  failsToLearn,
  learns,
  logLines,
  MIN,
  MS,
  queryError,
  refOf,
  SEC,
  server,
  T0,
  type TestServer,
} from '../kit.js';

const UNTRUSTED = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
const JOBS_PATH = '/apis/batch/v1/jobs';

/** What the log of one server tells: `address cause count` or `address ok count`, of discovery and of requests. */
function told(source: TestServer, lines: readonly DatedLine[] = source.log) {
  return toldOf([{ name: `${source.name}-kube-apiserver.log`, lines }]);
}

function toldOf(parts: readonly { name: string; lines: readonly DatedLine[] }[]) {
  const writers = new Writers();
  const log = new CallLog();
  for (const [id, { name, lines }] of parts.entries()) {
    const life = writers.of(refOf(name, id)).current;
    for (const line of logLines(lines)) {
      life.from = Math.min(life.from, line.timeUs);
      life.to = Math.max(life.to, line.timeUs);
      log.take(line, life);
    }
  }
  log.settle();
  const list = (map: CallLog['byAddress']) =>
    [...map.entries()]
      .flatMap(([key, { ok, failures }]) => {
        const address = key.slice(key.indexOf(' ') + 1);
        const bad = [...failures].map(([cause, { times }]) => `${address} ${cause} ${times.total}`);
        return ok.total > 0 ? [`${address} ok ${ok.total}`, ...bad] : bad;
      })
      .sort();
  const own = writers.lives.flatMap((life) => log.requests.of(life) ?? []);
  const requests = own.flatMap(({ errors }) => errors.map(({ address, cause }) => `${address} ${cause}`));
  const open = own.flatMap((requestsOf) => requestsOf.calls.map((call) => `${call.address} ${call.path}`));
  return { discovery: list(log.byAddress), requests, open, byIdentity: list(log.byIdentity), own, log };
}

function servers() {
  return [server('cp1'), server('cp2'), server('cp3')] as const;
}

describe('discovery', () => {
  test('without errors went well, once for each pair of paths', () => {
    const [cp1, cp2, cp3] = servers();
    learns(cp1, cp2, T0);
    learns(cp1, cp3, T0 + SEC);
    learns(cp1, cp2, T0 + 2 * SEC);
    cp1.says(T0 + MIN, 'I', 'peer_discovery.go', 'Starting worker');
    expect(told(cp1).discovery).toEqual(['10.0.0.12:6443 ok 2', '10.0.0.13:6443 ok 1']);
  });

  test('that fails is told by the error before the line that names the server', () => {
    const [cp1, cp2, cp3] = servers();
    failsToLearn(cp1, cp2, T0, UNTRUSTED);
    learns(cp1, cp3, T0 + SEC);
    cp1.says(T0 + MIN, 'I', 'peer_discovery.go', 'Starting worker');
    const { discovery, log } = told(cp1);
    expect(discovery).toEqual(['10.0.0.12:6443 unknown-authority 2', '10.0.0.13:6443 ok 1']);
    expect(log.identities.get('10.0.0.12:6443')).toBe(cp2.identity);
  });

  test('answered 401 has no error line of its own', () => {
    const [cp1, cp2] = servers();
    calls(cp1, cp2, T0, '/api', '');
    queryError(cp1, cp2, T0 + MS, '/api', 'discovery request failed with status: 401');
    expect(told(cp1).discovery).toEqual(['10.0.0.12:6443 unauthorized 1']);
  });

  test('whose error has no second line is still discovery', () => {
    const [cp1, cp2] = servers();
    calls(cp1, cp2, T0, '/apis', '');
    callError(cp1, T0 + MS, UNTRUSTED);
    cp1.says(T0 + MIN, 'I', 'peerproxy_handler.go', 'anything');
    expect(told(cp1).discovery).toEqual(['10.0.0.12:6443 unknown-authority 1']);
  });

  test('left open by the end of the log proves nothing', () => {
    const [cp1, cp2] = servers();
    calls(cp1, cp2, T0, '/apis', '');
    expect(told(cp1).discovery).toEqual([]);
  });

  test('left open shortly after timeouts may be about to time out', () => {
    const [cp1, cp2] = servers();
    failsToLearn(cp1, cp2, T0, 'dial tcp 10.0.0.12:6443: i/o timeout');
    calls(cp1, cp2, T0 + MIN, '/apis', '');
    cp1.says(T0 + MIN + 20 * SEC, 'I', 'controller.go', 'something');
    expect(told(cp1).discovery).toEqual(['10.0.0.12:6443 timeout 2']);
    cp1.says(T0 + MIN + 40 * SEC, 'I', 'controller.go', 'something');
    expect(told(cp1).discovery).toEqual(['10.0.0.12:6443 ok 1', '10.0.0.12:6443 timeout 2']);
  });

  test('of a server without an endpoint is kept by its identity', () => {
    const [cp1, cp2] = servers();
    const error = `failed to get host port info from identity lease for server ${cp2.identity}: missing port in address`;
    cp1.says(T0, 'I', 'peer_discovery.go', `Error syncing discovery for peer lease ${cp2.identity}: ${error}`);
    expect(told(cp1).byIdentity).toEqual([`${cp2.identity} no-endpoint 1`]);
  });

  test('is told apart from requests by its second line where a log of errors has no call lines', () => {
    const [cp1, cp2, cp3] = servers();
    failsToLearn(cp1, cp2, T0, UNTRUSTED);
    failsToLearn(cp1, cp3, T0 + SEC, `dial tcp ${cp3.advertises}: connect: connection refused`);
    callError(cp1, T0 + MIN, UNTRUSTED);
    queryError(cp1, cp2, T0 + 2 * MIN, '/apis', 'discovery request failed with status: 503');
    const errors = cp1.log.filter(({ text }) => text.startsWith('E'));
    const { discovery, byIdentity, requests, log } = told(cp1, errors);
    expect(byIdentity).toEqual([`${cp2.identity} unknown-authority 2`]);
    expect(discovery).toEqual([`${cp3.advertises} refused 2`]);
    expect(requests).toEqual([' unknown-authority']);
    expect([...log.named]).toEqual([cp2.identity, cp3.identity]);
  });

  test('that was given up is told with its lease', () => {
    const [cp1, cp2] = servers();
    cp1.says(T0, 'I', 'peer_discovery.go', `Dropping lease ${cp2.identity} out of the queue: discovery request failed`);
    expect(told(cp1).log.dropped).toMatchObject([{ lease: cp2.identity, timeUs: T0 }]);
  });
});

describe('client requests', () => {
  test('between a fetch and its error have no part in it', () => {
    const [cp1, cp2, cp3] = servers();
    calls(cp1, cp2, T0, '/apis', '');
    calls(cp1, cp3, T0 + MS, JOBS_PATH);
    callError(cp1, T0 + 2 * MS, UNTRUSTED);
    queryError(cp1, cp2, T0 + 3 * MS, '/apis', 'discovery request failed with status: 503');
    cp1.says(T0 + 5 * MIN, 'I', 'peerproxy_handler.go', 'anything');
    const { discovery, requests } = told(cp1);
    expect(discovery).toEqual(['10.0.0.12:6443 unknown-authority 1']);
    expect(requests).toEqual([]);
  });

  test('that were open when an error came are kept beside it, and no others', () => {
    const [cp1, cp2, cp3] = servers();
    calls(cp1, cp2, T0, '/apis/batch/v1/cronjobs');
    calls(cp1, cp2, T0 + 2 * MIN, JOBS_PATH);
    calls(cp1, cp3, T0 + 2 * MIN + MS, JOBS_PATH);
    callError(cp1, T0 + 2 * MIN + 20 * SEC, 'http2: client connection lost');
    calls(cp1, cp3, T0 + 2 * MIN + 21 * SEC, JOBS_PATH);
    expect(told(cp1)).toMatchObject({
      requests: [' connection-lost'],
      open: [`10.0.0.12:6443 ${JOBS_PATH}`, `10.0.0.13:6443 ${JOBS_PATH}`],
    });
  });

  test('are named by the address in the error, of a dial and of a connection that was open', () => {
    const [cp1] = servers();
    callError(cp1, T0, 'dial tcp 10.0.0.12:6443: connect: connection refused');
    callError(cp1, T0 + MS, 'read tcp 10.0.0.11:40312->10.0.0.13:6443: read: connection reset by peer');
    expect(told(cp1).requests).toEqual(['10.0.0.12:6443 refused', '10.0.0.13:6443 connection-lost']);
  });

  test('for what no peer has an endpoint for are told by their resource', () => {
    const [cp1] = servers();
    for (const gvr of ['batch/v1, Resource=jobs', '/v1, Resource=pods'])
      cp1.says(
        T0,
        'E',
        'peerproxy_handler.go',
        `"error finding serviceable-by apiservers for the requested resource" err="missing port in address" gvr="${gvr}"`,
      );
    expect(told(cp1).own.flatMap(({ unresolved }) => [...unresolved.keys()])).toEqual(['jobs.batch/v1', 'pods/v1']);
  });

  test('are bounded, and what is forgotten is known to be missing', () => {
    const [cp1, cp2] = servers();
    for (let n = 0; n < 9_000; n += 1) calls(cp1, cp2, T0 + n * MS, `${JOBS_PATH}/j${n}`);
    callError(cp1, T0 + 10 * SEC, 'context canceled');
    const [own] = told(cp1).own;
    expect(own?.calls.length).toBeLessThanOrEqual(8_192);
    expect(own?.missing?.from).toBe(T0);
    expect(own?.calls.at(-1)?.path).toBe(`${JOBS_PATH}/j8999`);
  });
});

test('parts of one log go on where the part before ended; logs of different servers do not', () => {
  const [cp1, cp2] = servers();
  failsToLearn(cp1, cp2, T0, UNTRUSTED);
  const whole = told(cp1).discovery;
  for (let cut = 0; cut <= cp1.log.length; cut += 1) {
    const parts = [cp1.log.slice(0, cut), cp1.log.slice(cut)];
    const names = ['cp1-kube-apiserver.log.1', 'cp1-kube-apiserver.log'];
    const merged = new Map<string, number>();
    for (const line of toldOf(parts.map((lines, at) => ({ name: names[at] ?? '', lines }))).discovery) {
      const blank = line.lastIndexOf(' ');
      merged.set(line.slice(0, blank), (merged.get(line.slice(0, blank)) ?? 0) + Number(line.slice(blank + 1)));
    }
    expect([...merged].map(([what, count]) => `${what} ${count}`)).toEqual(whole);
  }
});
