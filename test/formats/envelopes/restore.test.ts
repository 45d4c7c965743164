import { describe, expect, it } from '@jest/globals';
import { restored } from '../../../src/formats/envelopes/restore.js';

describe('restored', () => {
  it('leaves an event that nobody changed', () => {
    expect(restored({ level: 'Metadata', annotations: { 'a.k8s.io/b': 'c_k8s_io/d' } })).toBeUndefined();
  });

  it("gives an event of OpenShift's collector its level back", () => {
    expect(restored({ level: 'default', k8s_audit_level: 'Request' })).toMatchObject({ level: 'Request' });
    expect(restored({ level: 'info', openshift_audit_level: 'Metadata' })).toMatchObject({ level: 'Metadata' });
    expect(restored({ level: 'info', k8s_audit_level: 3 })).toBeUndefined();
  });

  it('unfolds members that were stored as texts, and keeps what is none', () => {
    expect(restored({ __time__: '1', user: '{"username":"u"}', objectRef: '{broken', verb: '{"a":1}' })).toEqual({
      __time__: '1',
      user: { username: 'u' },
      objectRef: '{broken',
      verb: '{"a":1}',
    });
  });

  it('puts the dots back into the names of the annotations that are read', () => {
    const annotations = { 'authorization_k8s_io/decision': 'allow', my_k8s_io: 'x' };
    expect(restored({ annotations })).toEqual({
      annotations: { 'authorization.k8s.io/decision': 'allow', my_k8s_io: 'x' },
    });
  });
});
