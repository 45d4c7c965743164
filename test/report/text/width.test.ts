import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { columnsOf, cutEnd, cutMiddle, cutWords } from '../../../src/report/text/width.js';

test.each([
  ['abc', 3],
  ['', 0],
  ['é→…', 3],
  ['漢字', 4],
  ['e\u0301', 1],
  ['🚀', 2],
])('columnsOf(%j) is %d', (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

describe('cutting', () => {
  test('keeps what fits and marks what is missing', () => {
    expect(cutEnd('abcdef', 6)).toBe('abcdef');
    expect(cutEnd('abcdef', 4)).toBe('abc…');
    expect(cutMiddle('abcdefgh', 8)).toBe('abcdefgh');
    expect(cutMiddle('abcdefgh', 5)).toBe('ab…gh');
    expect(cutEnd('漢字漢字', 5)).toBe('漢字…');
  });

  test('of sentences is done between words, and keeps whom they are about', () => {
    expect(cutWords('a sentence', 10)).toBe('a sentence');
    expect(cutWords('cp1 cannot reach control-plane-2', 25)).toBe('cp1 cannot reach…');
    expect(cutWords('cp1 cannot reach control-plane-2', 17)).toBe('cp1 cannot reach…');
    expect(cutWords('𑂚'.repeat(9), 8)).toBe(`${'𑂚'.repeat(7)}…`);
    expect(cutWords('one word: abcdefghijklmnopqrstuvwxyz', 25)).toBe('one word: abcdefghijklmn…');
    expect(cutWords('the clock of cp1 is ahead of that of cp2', 30, 'cp2')).toBe('cp2: the clock of cp1 is…');
    expect(cutWords('the clock of cp1 is ahead of that of cp2', 30, 'cp1')).toBe('the clock of cp1 is ahead of…');
  });

  test('never gives more columns than asked for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, columns) => {
        expect(columnsOf(cutEnd(text, columns))).toBeLessThanOrEqual(columns);
        expect(columnsOf(cutMiddle(text, columns))).toBeLessThanOrEqual(columns);
        expect(columnsOf(cutWords(text, columns, text.slice(-3)))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});
