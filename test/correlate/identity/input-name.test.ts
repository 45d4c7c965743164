import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hostCandidates, hostsOfInput, stemOf, stemOfInput } from '../../../src/correlate/identity/input-name.js';

const UID = '01234567-89ab-cdef-0123-456789abcdef';
const CLOUD = 'ip-10-1-22-33.ap-southeast-2.compute.internal';

describe('stemOf', () => {
  test.each([
    ['cp1-audit.log', 'cp1'],
    ['cp1-audit-2026-01-02T03-04-05.678.log.gz', 'cp1'],
    ['logs/cp1/audit.log', 'cp1'],
    ['logs/cp1/kube-apiserver/audit.log.3', 'cp1'],
    ['cp1-audit.log-20260102.gz', 'cp1'],
    ['cp1-audit.log.1', 'cp1'],
    ['cp1-kube-apiserver.log', 'cp1'],
    ['audit-cp1.ndjson', 'cp1'],
    ['node-7.shop.example-audit.log', 'node-7.shop.example'],
    ['ip-10-0-1-12.ec2.internal/audit.log', 'ip-10-0-1-12.ec2.internal'],
    ['cp1-audit.part2.log', 'cp1'],
    ['C:\\logs\\cp1\\audit.log', 'cp1'],
    ['var/log/kubernetes/audit/audit.log', ''],
    ['/var/log/audit.log', ''],
    ['node-7/audit.log', 'node-7'],
    ['master-0-audit.log', 'master-0'],
    ['shop-control-plane-2-kube-apiserver.log', 'shop-control-plane-2'],
    ['control-plane-1/audit.log', 'control-plane-1'],
    ['kube-apiserver-1.log', ''],
    ['cp1-audit-3.log', 'cp1'],
    ['cp1-kube-apiserver-0.log', 'cp1'],
    ['cp1_20260102.log', 'cp1'],
    ['cp1-1767225600.log', 'cp1'],
    ['10.0.0.11-audit.log', '10.0.0.11'],
    ['cp1/0.log', 'cp1'],
    [`/var/log/pods/kube-system_kube-apiserver-cp1_${'0123456789abcdef'.repeat(2)}/kube-apiserver/0.log`, 'cp1'],
    [`pods/kube-system_kube-apiserver-control-plane_${UID}/kube-apiserver/0.log.20260102-030405.gz`, 'control-plane'],
    [`pods/kube-system_kube-apiserver-${CLOUD}_${UID}/kube-apiserver/1.log`, CLOUD],
    [`pods/kube-system_audit-tail-cp1_${UID}/tail/0.log`, 'tail-cp1'],
    [`containers/kube-apiserver-cp1_kube-system_kube-apiserver-${'0123456789abcdef'.repeat(4)}.log`, 'cp1'],
    ['kube-system_cp1_audit/audit.log', 'cp1'],
    ['-', ''],
    ['audit.log', ''],
    ['..', ''],
  ])('of %s is "%s"', (name, stem) => {
    expect(stemOf(name)).toBe(stem);
  });

  test('of all rotated parts of one log is the same', () => {
    const parts = ['audit.log', 'audit-2026-05-05T10-00-00.000.log', 'audit-2026-05-05T11-00-00.000.log.gz'];
    expect(new Set(parts.map((part) => stemOf(`master-3/${part}`)))).toEqual(new Set(['master-3']));
  });

  test('never throws, and never grows', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(stemOf(name).length).toBeLessThanOrEqual(name.length);
      }),
    );
  });
});

describe('an input from Kafka', () => {
  const topic = { id: 0, name: 'audit.prod-1/0', kind: 'kafka' as const };

  test('is not called after its topic, where all servers write, but as its senders are', () => {
    expect(stemOfInput(topic)).toBe('');
    expect(stemOfInput({ ...topic, writer: 'cp1' })).toBe('cp1');
    expect(stemOfInput({ ...topic, kind: 'file' })).toBe('prod-1');
  });

  test('may have a host in the name of its topic, which is proved by its identity', () => {
    expect(hostsOfInput({ ...topic, name: 'audit.cp1/0' })).toContain('cp1');
  });
});

describe('hostCandidates', () => {
  test('holds a host name with dashes and dots, wherever it stands', () => {
    const host = 'ip-10-0-1-12.eu-west-1.compute.internal';
    expect(hostCandidates(`bundle/audit-${host}.log`)).toContain(host);
    expect(hostCandidates(`${host}/kube-apiserver/audit.log`)).toContain(host);
  });

  test.each([
    `pods/kube-system_kube-apiserver-${CLOUD}_${'0'.repeat(32)}/kube-apiserver/0.log`,
    `kube-system.kube-apiserver-${CLOUD}.kube-apiserver.previous.log`,
  ])('holds the long name of a cloud machine among many words: %s', (name) => {
    expect(hostCandidates(name)).toContain(CLOUD);
  });

  test('holds the whole name of a pod, which may be its host name', () => {
    const pod = 'kube-apiserver-6c9d8b6f5-x2z4v';
    expect(hostCandidates(`pods/shop_${pod}_${UID}/kube-apiserver/0.log`)).toContain(pod);
  });

  test('are no longer than host names may be', () => {
    expect(hostCandidates(Array(40).fill('abcdef').join('-')).every(({ length }) => length <= 64)).toBe(true);
  });

  test('are bounded for names made of many words', () => {
    expect(hostCandidates(Array(200).fill('a').join('-')).length).toBeLessThan(200);
  });
});
