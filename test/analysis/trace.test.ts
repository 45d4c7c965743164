import { describe, expect, test } from '@jest/globals';
import { traceRequest } from '../../src/analysis/trace.js';
import {
  callError,
  cluster,
  inputsOf,
  MIN,
  MS,
  memorySources,
  proxied,
  SEC,
  T0,
  type TestServer,
} from '../correlate/kit.js';
import { inputsOfRun, isAudit } from './samples.js';

function pair(): [TestServer, TestServer] {
  const [cp1, cp2] = cluster(['cp1', 'cp2']);
  if (cp1 === undefined || cp2 === undefined) throw new Error('no servers');
  return [cp1, cp2];
}

const trace = (servers: readonly TestServer[], auditID: string) =>
  traceRequest(memorySources(inputsOf(servers)), auditID, {});

describe('traceRequest', () => {
  test('tells a proxied request in order: receipt, call, receipt, two answers', async () => {
    const [cp1, cp2] = pair();
    const auditID = proxied(cp1, cp2, T0 + MIN);
    const { requests, notes } = await trace([cp1, cp2], auditID);
    expect(notes).toEqual([]);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.outcome).toBe('passed on by cp1 to cp2, which answered 200; the client got 200');
    expect(requests[0]?.steps.map(({ server, what }) => [server, what.split(' ')[0]])).toEqual([
      ['cp1', 'received'],
      ['cp1', 'passes'],
      ['cp2', 'received'],
      ['cp2', 'answered'],
      ['cp1', 'answered'],
    ]);
    expect(requests[0]?.steps[1]?.evidence.input).toBe('cp1-kube-apiserver.log');
  });

  test('tells a failed call with its error', async () => {
    const [cp1, cp2] = pair();
    cp1.request(T0 + MIN, { auditID: 'failed', code: 503, takes: 5 * MS });
    cp1.says(
      T0 + MIN + MS,
      'I',
      'peerproxy_handler.go',
      'Proxying request for /apis/batch/v1/namespaces/shop/jobs from x:6443 to 10.0.0.12:6443',
    );
    callError(cp1, T0 + MIN + 4 * MS, 'dial tcp 10.0.0.12:6443: connect: connection refused');
    const { requests } = await trace([cp1, cp2], 'failed');
    expect(requests[0]?.outcome).toBe('cp1 answered 503; no other server logged it');
    expect(requests[0]?.steps.map(({ what }) => what)).toEqual(
      expect.arrayContaining([expect.stringContaining('connection refused'), 'passes it on to 10.0.0.12:6443']),
    );
  });

  test('tells how much later a request arrived than its client was answered', async () => {
    const [cp1, cp2] = pair();
    const auditID = proxied(cp1, cp2, T0 + MIN, { code: 503, delay: 41 * SEC, there: { code: 500 } });
    const { requests } = await trace([cp1, cp2], auditID);
    expect(requests[0]?.outcome).toContain('41.0 s after the client had its answer');
  });

  test('tells requests that only share their Audit-ID apart', async () => {
    const [cp1, cp2] = pair();
    proxied(cp1, cp2, T0 + MIN, { auditID: 'reused' });
    cp1.request(T0 + 2 * MIN, { auditID: 'reused', from: ['198.51.100.7'] });
    cp2.request(T0 + 2 * MIN, { auditID: 'reused', verb: 'get', ref: { resource: 'pods', apiVersion: 'v1' } });
    const { requests } = await trace([cp1, cp2], 'reused');
    expect(requests.map(({ outcome }) => outcome.split(' ').slice(0, 3).join(' '))).toEqual([
      'passed on by',
      'cp1 answered 200;',
      'cp2 answered 200;',
    ]);
  });

  test('says that an ID is in no input', async () => {
    const { requests, notes } = await trace(pair(), 'nowhere');
    expect(requests).toEqual([]);
    expect(notes).toEqual([expect.stringContaining('no audit event with this ID')]);
  });

  test('a recorded pair has its own story', async () => {
    const inputs = inputsOfRun('upgrade-with-failure');
    const byID = new Map<string, Set<string>>();
    for (const { name, content } of inputs.filter(isAudit))
      for (const [, id = ''] of content.matchAll(/"auditID":"([^"]+)"/g))
        byID.set(id, (byID.get(id) ?? new Set()).add(name));
    const [auditID] = [...byID].find(([, names]) => names.size > 1) ?? [];
    if (auditID === undefined) throw new Error('no pair in the recording');
    const { requests } = await traceRequest(memorySources(inputs), auditID, {});
    expect(requests).toHaveLength(1);
    expect(requests[0]?.outcome).toMatch(/^passed on by cp\d to cp\d, which answered \d+/);
  });
});
