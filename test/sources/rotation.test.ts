import { describe, expect, test } from '@jest/globals';
import { compareStreams, isFinishedPart, rotationOf, streamStem } from '../../src/sources/rotation.js';

describe('streamStem', () => {
  test.each([
    ['logs/audit.log', 'logs/audit.log'],
    ['logs/audit.log.gz', 'logs/audit.log'],
    ['logs/audit-2026-01-02T03-04-05.678.log', 'logs/audit.log'],
    ['logs/audit-2026-01-02T03-04-05.678.log.gz', 'logs/audit.log'],
    ['logs/audit-2026-01-02T03-04-05.678.log.1.gz', 'logs/audit.log'],
    ['audit-2026-01-02T03-04-05.678', 'audit'],
    ['cp1-audit.log.1', 'cp1-audit.log'],
    ['cp1-audit.log.12.gz', 'cp1-audit.log'],
    ['audit.log-20260105.gz', 'audit.log'],
    ['audit.log-20260105.1', 'audit.log'],
    ['audit.log-20260105-1767582245', 'audit.log'],
    ['audit-20260105.log', 'audit.log'],
    ['audit.log.2026-01-05', 'audit.log'],
    ['/p/ns_kube-apiserver-cp1_u-1/kube-apiserver/0.log', '/p/ns_kube-apiserver-cp1_u-1/kube-apiserver'],
    ['/p/ns_kube-apiserver-cp1_u-1/kube-apiserver/1.log', '/p/ns_kube-apiserver-cp1_u-1/kube-apiserver'],
    [
      '/p/ns_kube-apiserver-cp1_u-1/kube-apiserver/0.log.20260105-030405.gz',
      '/p/ns_kube-apiserver-cp1_u-1/kube-apiserver',
    ],
    ['x/0.log.20260105-030405.gz', 'x/0.log'],
    ['x/0.log', 'x/0.log'],
    // Names that only look like rotation.
    ['v1.36.2', 'v1.36.2'],
    ['cp-10.0.0.1', 'cp-10.0.0.1'],
    ['audit-20261399.log', 'audit-20261399.log'],
    ['cp-12345678.log', 'cp-12345678.log'],
    ['-', '-'],
    ['', ''],
  ])('%s is a part of %s', (path, stem) => {
    expect(streamStem(path)).toBe(stem);
  });
});

test('rotationOf tells the time, the number and the instance', () => {
  expect(rotationOf('audit-2026-01-02T03-04-05.678.log.gz')).toMatchObject({
    time: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    number: null,
    compressed: true,
  });
  expect(rotationOf('0.log.20260105-030405')).toMatchObject({ time: Date.UTC(2026, 0, 5, 3, 4, 5), compressed: false });
  expect(rotationOf('audit.log-20260105-1767582245').time).toBe(1_767_582_245_000);
  expect(rotationOf('audit.log.3')).toMatchObject({ time: null, number: 3 });
  expect(rotationOf('a_b_c/d/2.log')).toMatchObject({ instance: 2, stem: 'a_b_c/d' });
});

test('the parts of a stream stand together from the oldest to the live one', () => {
  const ordered = [
    'cp1/audit-2026-01-01T00-00-00.000.log.gz',
    'cp1/audit-2026-01-02T00-00-00.000.log',
    'cp1/audit.log',
    'cp2/audit.log.10',
    'cp2/audit.log.2.gz',
    'cp2/audit.log.1',
    'cp2/audit.log',
    'ns_pod_uid/c/0.log.20260105-030405.gz',
    'ns_pod_uid/c/0.log',
    'ns_pod_uid/c/1.log',
  ];
  expect([...ordered].reverse().sort(compareStreams)).toEqual(ordered);
  expect([...ordered].sort().sort(compareStreams)).toEqual(ordered);
});

test('a finished part gets nothing more', () => {
  expect(['audit.log.1', 'audit.log.gz', 'audit-2026-01-02T03-04-05.678.log'].every(isFinishedPart)).toBe(true);
  expect(['audit.log', 'x/0.log', 'cp1-kube-apiserver.log'].some(isFinishedPart)).toBe(false);
});
