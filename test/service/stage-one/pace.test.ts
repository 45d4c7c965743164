import { expect, it } from '@jest/globals';
import { Pace } from '../../../src/service/stage-one/pace.js';

const SECOND = 1_000_000;

it('lets a quiet cluster be two minutes ahead, and a busy one as much less as it writes more', () => {
  const pace = new Pace();
  expect(pace.aheadUs).toBe(120 * SECOND);
  for (let second = 0; second < 20; second += 1) pace.count(1_000, second * SECOND);
  expect(pace.aheadUs).toBe(120 * SECOND);
  const start = 100 * SECOND;
  // 1 MiB in each second of event time: 12 MiB are 12 seconds.
  for (let second = 0; second < 60; second += 1) pace.count(1_048_576, start + second * SECOND);
  expect(pace.aheadUs / SECOND).toBeGreaterThan(9);
  expect(pace.aheadUs / SECOND).toBeLessThan(13);
});

it('counts a rush within a moment at once, and forgets it when it is over', () => {
  const pace = new Pace();
  for (let at = 0; at < 30; at += 1) pace.count(1_048_576, at);
  expect(pace.aheadUs).toBe(2 * SECOND);
  for (let second = 1; second < 30; second += 1) pace.count(100, second * SECOND);
  expect(pace.aheadUs).toBe(120 * SECOND);
});
