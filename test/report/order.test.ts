import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sortFindings } from '../../src/report/order.js';
import { finding } from './example.js';

const wrong = finding({ rule: 'wrong-not-found', server: 'cp2' });
const missing = finding({
  rule: 'discovery-edge-missing',
  severity: 'warning',
  server: 'cp3',
  edges: [{ source: 'cp2', destination: 'cp3' }],
});
const inactive = finding({ rule: 'feature-inactive', severity: 'warning', server: null });
const expired = finding({ rule: 'serving-cert-expired', server: 'cp9' });

test('a cause stands before its symptom though it is less severe, and before nothing else', () => {
  expect(sortFindings([wrong, expired, missing])).toEqual([expired, missing, wrong]);
  expect(sortFindings([wrong, inactive])).toEqual([inactive, wrong]);
  const harm = finding({ rule: 'gc-after-wrong-not-found', server: 'cp1' });
  // A loss that goes on comes first of all.
  expect(sortFindings([inactive, wrong, harm])).toEqual([harm, inactive, wrong]);
});

test('what is of another server, of another cluster, or only possible is no cause', () => {
  for (const other of [
    { ...missing, edges: [{ source: 'cp1', destination: 'cp3' }] },
    { ...inactive, cluster: 'other' },
    { ...inactive, confidence: 'possible' as const },
    { ...inactive, rule: 'proxy-slow' },
  ]) {
    expect(sortFindings([other, wrong])).toEqual([wrong, other]);
  }
});

test('a symptom that has its cause before it takes no other one along', () => {
  const untrusted = finding({ server: 'cp2' });
  expect(sortFindings([missing, wrong, untrusted])).toEqual([untrusted, wrong, missing]);
});

test('the order does not depend on that of the input', () => {
  const all = [wrong, missing, inactive, expired, finding({ rule: 'wrong-not-found', server: 'cp1' })];
  const sorted = sortFindings(all);
  fc.assert(
    fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (shuffled) => {
      expect(sortFindings(shuffled)).toEqual(sorted);
    }),
  );
});
