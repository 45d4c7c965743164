import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readLeases } from '../../../src/formats/documents/lease.js';

const lease = {
  metadata: {
    name: 'apiserver-abc',
    namespace: 'kube-system',
    creationTimestamp: '2026-05-01T10:00:00Z',
    labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': 'cp1' },
    annotations: { 'kubernetes.io/peer-advertise-address': '192.0.2.1:6443' },
  },
  spec: { holderIdentity: 'apiserver-abc_1', leaseDurationSeconds: 3600, renewTime: '2026-05-01T10:00:10.123456Z' },
};
const record = {
  type: 'lease',
  line: 1,
  offset: 2,
  name: 'apiserver-abc',
  hostname: 'cp1',
  holder: 'apiserver-abc_1',
  peerAddress: '192.0.2.1:6443',
  createdUs: Date.UTC(2026, 4, 1, 10) * 1000,
  renewedUs: Date.UTC(2026, 4, 1, 10, 0, 10) * 1000 + 123456,
};
const single = { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', ...lease };

describe('readLeases', () => {
  it('reads lists of both kinds, single leases and bare items', () => {
    expect(readLeases({ kind: 'LeaseList', items: [lease] }, 1, 2)).toEqual([record]);
    expect(readLeases({ kind: 'List', items: [single, { kind: 'Pod' }] }, 1, 2)).toEqual([record]);
    expect(readLeases(single, 1, 2)).toEqual([record]);
    expect(readLeases(lease, 1, 2)).toEqual([record]);
  });

  it('leaves out the leases of others', () => {
    const other = { ...lease, metadata: { name: 'kube-scheduler' } };
    expect(readLeases({ kind: 'LeaseList', items: [other, null, 3] }, 1, 2)).toEqual([]);
    expect(readLeases({ kind: 'LeaseList', items: null }, 1, 2)).toEqual([]);
  });

  it('gives nothing for what holds no leases', () => {
    for (const value of [
      {},
      { kind: 'List', items: [{ kind: 'Pod' }] },
      { kind: 'Lease', apiVersion: 'other/v1' },
      { kind: 'Pod', spec: {} },
    ])
      expect(readLeases(value, 1, 2)).toBeUndefined();
  });

  it('takes wrong types for absent', () => {
    const wrong = {
      kind: 'LeaseList',
      items: [{ metadata: { name: 'apiserver-x', labels: 3, annotations: [] }, spec: { renewTime: {} } }],
    };
    expect(readLeases(wrong, 1, 2)).toMatchObject([
      { name: 'apiserver-x', hostname: '', peerAddress: '', renewedUs: 0, createdUs: 0 },
    ]);
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (items, spec) => {
        expect(readLeases({ kind: 'LeaseList', items, spec }, 1, 2)).toBeInstanceOf(Array);
      }),
    );
  });
});
