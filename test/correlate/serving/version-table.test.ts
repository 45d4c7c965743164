import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isBuiltIn, minorOf, servedByDefault } from '../../../src/correlate/serving/version-table.js';

describe('servedByDefault', () => {
  test.each([
    ['pods/v1', 'v1.28.0', true],
    ['jobs.batch/v1', 'v1.36.3', true],
    ['mutatingadmissionpolicies.admissionregistration.k8s.io/v1', 'v1.35.4', false],
    ['mutatingadmissionpolicies.admissionregistration.k8s.io/v1', 'v1.36.3', true],
    ['resourceclaims.resource.k8s.io/v1', 'v1.33.0', false],
    ['resourceclaims.resource.k8s.io/v1', 'v1.34.4', true],
    ['nosuchthings.apps/v1', 'v1.36.3', false],
    ['widgets.example.com/v1', 'v1.36.3', undefined],
    ['pods/v1', '', undefined],
    ['pods/v1', 'v2.0.0', undefined],
  ])('%s of %s: %s', (resource, version, served) => {
    expect(servedByDefault(resource, version)).toBe(served);
  });

  test('answers anything', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (resource, version) => {
        expect([true, false, undefined]).toContain(servedByDefault(resource, version));
        expect(typeof isBuiltIn(resource)).toBe('boolean');
      }),
    );
    for (const hostile of ['constructor', '__proto__', 'x.__proto__/v1', 'toString.constructor/v1'])
      expect([false, undefined]).toContain(servedByDefault(hostile, 'v1.36.3'));
  });
});

test('isBuiltIn tells groups of Kubernetes from others', () => {
  expect(['pods/v1', 'jobs.batch/v1', 'events.events.k8s.io/v1'].map(isBuiltIn)).toEqual([true, true, true]);
  expect(['widgets.example.com/v1', 'pods.metrics.k8s.io/v1beta1'].map(isBuiltIn)).toEqual([false, false]);
});

test('minorOf reads the minor', () => {
  expect(['v1.36.3', 'v1.37.0-beta.0', 'v1.9.0', '1.36', ''].map(minorOf)).toEqual([36, 37, 9, undefined, undefined]);
});
