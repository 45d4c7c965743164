import { expect, test } from '@jest/globals';
import { readMark, writeMark } from '../../src/service/commit-mark.js';

test('a mark is read as it was written, and fits into what brokers keep', () => {
  for (const mark of [
    { openUs: undefined, dead: 0 },
    { openUs: 1_796_040_000_000_000, dead: 9_007_199_254_740_991 },
  ]) {
    const text = writeMark(mark);
    expect(readMark(text)).toEqual(mark);
    expect(text.length).toBeLessThan(200);
  }
});

test.each([
  undefined,
  '',
  'x',
  '{',
  '[]',
  'null',
  '{"v":2,"dead":1}',
  '{"v":1,"dead":-1}',
  '{"v":1,"open":"x","dead":0}',
])('what is none is taken for none: %s', (text) => {
  expect(readMark(text)).toBeUndefined();
});
