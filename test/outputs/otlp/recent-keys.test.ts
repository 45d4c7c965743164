/** Keys of late. */
import { expect, test } from '@jest/globals';
import { RecentKeys } from '../../../src/outputs/otlp/recent-keys.js';

test('recent keys are known again, older ones are forgotten', () => {
  const keys = new RecentKeys(2);
  expect(['a', 'b', 'a', 'c', 'a', 'd', 'e', 'a'].map((key) => keys.add(key))).toEqual([
    true,
    true,
    false,
    true,
    false,
    true,
    true,
    true,
  ]);
});
