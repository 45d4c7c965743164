import { describe, expect, test } from '@jest/globals';
import { backoffMs, parseRetryAfter } from '../../../src/outputs/delivery/backoff.js';

const options = { firstMs: 1_000, maxMs: 60_000 };

describe('backoffMs', () => {
  test.each([
    [1, 500, 1_000],
    [2, 1_000, 2_000],
    [4, 4_000, 8_000],
    [7, 30_000, 60_000],
    [500, 30_000, 60_000],
  ])('after %d failures from %d to %d ms', (failures, least, most) => {
    expect(backoffMs(options, failures, () => 0)).toBe(least);
    expect(backoffMs(options, failures, () => 0.999999)).toBeCloseTo(most, -1);
  });

  test('a receiver that asks for more gets it, with some spread, within an hour', () => {
    expect(backoffMs(options, 1, () => 0, 30_000)).toBe(30_000);
    expect(backoffMs(options, 1, () => 0.5, 30_000)).toBe(30_500);
    expect(backoffMs(options, 1, () => 0, 10 ** 12)).toBe(3_600_000);
  });

  test('one that asks for less does not get it', () => {
    expect(backoffMs(options, 5, () => 0, 1_000)).toBe(8_000);
  });
});

test.each([
  ['0', 0],
  ['120', 120_000],
  [' 7 ', 7_000],
  ['Mon, 05 Jan 2026 12:00:30 GMT', 30_000],
  ['Mon, 05 Jan 2026 11:00:00 GMT', 0],
  ['-5', undefined],
  ['1e3', undefined],
  ['soon', undefined],
  ['', undefined],
  ['9'.repeat(100), undefined],
  [undefined, undefined],
])('Retry-After %j is %j ms', (value, ms) => {
  expect(parseRetryAfter(value, Date.UTC(2026, 0, 5, 12))).toBe(ms);
});
