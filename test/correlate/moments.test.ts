import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Moments, together } from '../../src/correlate/moments.js';
import { SEC, T0 } from './lines.js';

function momentsOf(times: readonly number[]): Moments {
  const moments = new Moments();
  for (const time of times) moments.add(time);
  return moments;
}

test('few times are kept exactly, in order', () => {
  expect(momentsOf([T0 + 3, T0, T0 + 60 * SEC]).list()).toEqual([T0, T0 + 3, T0 + 60 * SEC]);
});

test('many are thinned, from the beginning to the end', () => {
  const kept = momentsOf(Array.from({ length: 50_000 }, (_, at) => T0 + at * SEC)).list();
  expect(kept.length).toBeLessThanOrEqual(512);
  expect(kept[0]).toBe(T0);
  expect(kept.at(-1)).toBeGreaterThan(T0 + 40_000 * SEC);
});

test('what is kept depends neither on the order nor on how parts came together', () => {
  const times = fc.array(
    fc.integer({ min: 0, max: 4000 }).map((s) => T0 + s * (SEC / 4)),
    { maxLength: 300 },
  );
  fc.assert(
    fc.property(times, fc.nat(300), (all, cut) => {
      const parts = momentsOf(all.slice(cut));
      parts.merge(momentsOf(all.slice(0, cut)));
      expect(parts.list()).toEqual(momentsOf(all).list());
    }),
    { numRuns: 50 },
  );
});

test('together counts each time once', () => {
  expect(together([10, 20, 30], [11], 5)).toBe(1);
  expect(together([10, 11, 12], [11], 5)).toBe(1);
  expect(together([10, 20, 30], [9, 21, 40], 5)).toBe(2);
  expect(together([10], [], 5)).toBe(0);
});
