import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { boundFinding, cut } from '../../../src/outputs/delivery/bound.js';
import { finding } from './examples.js';

test('cut: bounded, no half characters, unchanged when short and sound', () => {
  expect(cut('short', 5)).toBe('short');
  expect(cut('a longer text', 5)).toBe('a lo…');
  expect(cut('ab😀', 4)).toBe('ab😀');
  expect(cut('ab😀cd', 4)).toBe('ab…');
  expect(cut('a\ud800b', 9)).toBe('a\ufffdb');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 40 }), (text, limit) => {
      const short = cut(text, limit);
      expect(short.length).toBeLessThanOrEqual(limit);
      expect(short).not.toMatch(/\p{Surrogate}/u);
    }),
  );
});

test('a finding of any size becomes small', () => {
  const long = 'x'.repeat(1_000_000);
  const edge = { source: long, destination: long };
  const huge = finding({
    rule: long,
    title: long,
    cluster: long,
    server: long,
    resource: long,
    edges: Array.from({ length: 10_000 }, () => edge),
    objects: Array.from({ length: 10_000 }, () => ({ resource: long, namespace: long, name: long })),
    summary: long,
    meaning: long,
    cause: long,
    fix: long,
    verify: long,
    references: Array.from({ length: 100 }, () => long),
    evidence: Array.from({ length: 100 }, () => ({ input: long, line: 1, offset: 0, quote: long })),
  });
  expect(JSON.stringify(boundFinding(huge)).length).toBeLessThan(110_000);
});

test('times that no Date can hold are no times', () => {
  const odd = boundFinding(finding({ from: Number.POSITIVE_INFINITY, to: Number.NaN, count: Number.NaN }));
  expect([odd.from, odd.to, odd.count]).toEqual([0, 0, 0]);
});

test('an ordinary finding stays as it is', () => {
  expect(boundFinding(finding())).toEqual(finding());
});
