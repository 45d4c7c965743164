import { expect, test } from '@jest/globals';
import { Rate } from '../../src/service/rate.js';

test('a rate is of the last seconds, and stays when it is asked more often', () => {
  const rate = new Rate(0);
  expect(rate.of(500, 1_000)).toBe(0);
  expect(rate.of(10_000, 2_000)).toBe(5_000);
  expect(rate.of(90_000, 2_500)).toBe(5_000);
  expect(rate.of(10_000, 4_000)).toBe(0);
});
