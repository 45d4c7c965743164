import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createFastDecoder } from '../../../src/formats/audit/index.js';
import { addedMembers, isBare } from '../../../src/formats/envelopes/merged.js';
import type { AuditEvent } from '../../../src/model/record.js';
import { auditEvent } from '../sample-records.js';

const bare = (event: unknown) => {
  const bytes = Buffer.from(JSON.stringify(event));
  return isBare(bytes, 0, bytes.length);
};
const added = (event: unknown) => {
  const bytes = Buffer.from(JSON.stringify(event));
  return addedMembers(createFastDecoder().decode(bytes, 0, bytes.length, 1, 0) as AuditEvent);
};
const { annotations, ...plain } = auditEvent('a');

describe('isBare', () => {
  it.each<[string, unknown]>([
    ['a reason in quotes', auditEvent('a', { annotations: { 'authorization.k8s.io/reason': 'of User "x"' } })],
    ['no reason', auditEvent('a', { annotations: { 'authorization.k8s.io/reason': '' } })],
    [
      'another annotation',
      auditEvent('a', { annotations: { 'pod-security.kubernetes.io/enforce-policy': 'x {"a"}' } }),
    ],
    ['no annotations', plain],
    ['an item of a list', Object.fromEntries(Object.entries(auditEvent('a')).slice(2))],
  ])('knows the end of an event with %s', (_, event) => {
    expect(bare(event)).toBe(true);
  });

  it('finds whatever a shipper put before or behind an event', () => {
    const member = fc.oneof(
      fc.tuple(fc.constantFrom('hostname', 'host', 'node'), fc.constantFrom('cp-1', 'x"', '{}')),
      fc.tuple(fc.constant('kubernetes'), fc.constantFrom({ host: 'cp-1' }, { pod_name: 'p', labels: { a: 'b' } })),
    );
    fc.assert(
      fc.property(member, fc.constantFrom(plain, { ...plain, annotations }), ([key, value], event) => {
        expect([bare({ ...event, [key]: value }), bare({ [key]: value, ...event })]).toEqual([false, false]);
        expect(added({ ...event, [key]: value })).toEqual({ [key]: value });
      }),
    );
  });
});

describe('addedMembers', () => {
  it('gives nothing of an event in another order or layout', () => {
    const sorted = Object.fromEntries(Object.entries(auditEvent('a')).sort());
    expect([bare(sorted), added(sorted)]).toEqual([false, undefined]);
    expect(added(auditEvent('a', { timestamp: '2026-01-05T03:04:05Z', unknown: 1 }))).toBeUndefined();
  });
});
