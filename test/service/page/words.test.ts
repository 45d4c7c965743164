/** Numbers and times in words. */
import { expect, test } from '@jest/globals';
import { blocks } from '../../../src/service/page/assets/prose.js';
import { age, clock, digits, duration, enumerate, plural, span } from '../../../src/service/page/assets/words.js';

const NOW = Date.parse('2026-11-30T12:00:00Z');

test('counts', () => {
  expect([digits(0), digits(1234567), plural(1, 'finding'), plural(2, 'finding')]).toEqual([
    '0',
    '1,234,567',
    '1 finding',
    '2 findings',
  ]);
  expect(enumerate(['a', 'b', 'c'])).toBe('a, b and c');
  expect(enumerate(['a', 'b', 'c', 'd'], 3)).toBe('a, b and 2 more');
  expect([enumerate([]), enumerate(['a'])]).toEqual(['', 'a']);
});

test.each([
  [0.25, '0.3 ms'],
  [3.2, '3.2 ms'],
  [850, '850 ms'],
  [12_400, '12.4 s'],
  [185_000, '3 min 05 s'],
  [7_800_000, '2 h 10 min'],
  [273_600_000, '3 d 4 h'],
])('%f ms is %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test.each([
  [-5, '0 s'],
  [34_900, '34 s'],
  [150_000, '2 min'],
  [7_300_000, '2 h'],
  [200_000_000, '2 d'],
])('%f ms ago is %s', (ms, text) => {
  expect(age(ms)).toBe(text);
});

test('the date stands where it is not today', () => {
  expect(clock('2026-11-30T11:20:44.123456Z', NOW)).toBe('11:20:44');
  expect(clock('2026-11-29T11:20:44.123456Z', NOW)).toBe('2026-11-29 11:20:44');
  expect(span('2026-11-30T11:20:44.1Z', '2026-11-30T11:20:44.9Z', NOW)).toBe('11:20:44');
  expect(span('2026-11-29T11:20:44Z', '2026-11-29T11:30:00Z', NOW)).toBe('2026-11-29 11:20:44 to 11:30:00');
  expect(span('2026-11-29T23:00:00Z', '2026-11-30T01:00:00Z', NOW)).toBe('2026-11-29 23:00:00 to 01:00:00');
});

test('texts of rules: paragraphs, and indented lines as they are', () => {
  expect(blocks('On cp1,\nset:\n  --a=b\n    --c\n\nThen restart.\n')).toEqual([
    { literal: false, lines: ['On cp1,', 'set:'] },
    { literal: true, lines: ['--a=b', '  --c'] },
    { literal: false, lines: ['Then restart.'] },
  ]);
  expect(blocks('')).toEqual([]);
});
