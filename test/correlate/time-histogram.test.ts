import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { TimeHistogram } from '../../src/correlate/time-histogram.js';
import { MIN, SEC, T0 } from './kit.js';

const times = fc.array(
  fc.record({ at: fc.integer({ min: T0, max: T0 + 100 * MIN }), count: fc.integer({ min: 1, max: 9 }) }),
);

function filled(list: readonly { at: number; count: number }[], limit = 16): TimeHistogram {
  const histogram = new TimeHistogram(limit);
  for (const { at, count } of list) histogram.add(at, count);
  return histogram;
}

function told(histogram: TimeHistogram) {
  return { total: histogram.total, first: histogram.first, last: histogram.last, entries: [...histogram.entries()] };
}

describe('TimeHistogram', () => {
  test('the order of times means nothing', () => {
    fc.assert(
      fc.property(times, fc.infiniteStream(fc.nat()), (list, keys) => {
        const shuffled = list.map((entry) => ({ entry, key: keys.next().value })).sort((a, b) => a.key - b.key);
        expect(told(filled(shuffled.map(({ entry }) => entry)))).toEqual(told(filled(list)));
      }),
    );
  });

  test('nor how they came together', () => {
    fc.assert(
      fc.property(times, fc.nat({ max: 50 }), (list, cut) => {
        const merged = filled(list.slice(0, cut));
        merged.merge(filled(list.slice(cut)));
        expect(told(merged)).toEqual(told(filled(list)));
      }),
    );
  });

  test('some of them can be taken out again, whatever the widths', () => {
    fc.assert(
      fc.property(times, fc.nat({ max: 50 }), fc.integer({ min: 2, max: 16 }), (list, cut, limit) => {
        const left = filled(list).less(filled(list.slice(0, cut), limit));
        const rest = list.slice(cut);
        expect(left.total).toBe(rest.reduce((sum, { count }) => sum + count, 0));
        for (const [timeUs, count] of left.entries()) {
          const of = rest.filter(({ at }) => at >= timeUs && at < timeUs + left.width);
          expect(of.reduce((sum, each) => sum + each.count, 0)).toBe(count);
        }
      }),
    );
    expect(filled([{ at: T0, count: 1 }]).less(filled([{ at: T0, count: 5 }])).total).toBe(0);
    expect(told(filled([{ at: T0 + MIN, count: 2 }]).less(filled([{ at: T0, count: 5 }]))).total).toBe(2);
  });

  test('counts everything, in few buckets', () => {
    fc.assert(
      fc.property(times, (list) => {
        const histogram = filled(list);
        const sum = list.reduce((all, { count }) => all + count, 0);
        const entries = [...histogram.entries()];
        expect(entries.length).toBeLessThanOrEqual(16);
        expect(entries.reduce((all, [, count]) => all + count, 0)).toBe(sum);
        expect(histogram.between(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)).toBe(sum);
      }),
    );
  });

  test('is empty at first', () => {
    expect(told(new TimeHistogram())).toEqual({ total: 0, first: Infinity, last: -Infinity, entries: [] });
  });

  test('where keeps the buckets that fit, at their beginnings', () => {
    const histogram = filled([0, 1, 2, 3].map((at) => ({ at: T0 + at * SEC + 7, count: at + 1 })));
    const kept = histogram.where((from, to) => from <= T0 + 2 * SEC && to >= T0 + SEC);
    expect([...kept.entries()]).toEqual([
      [T0 + SEC, 2],
      [T0 + 2 * SEC, 3],
    ]);
    expect(kept.total).toBe(5);
  });

  test('between is as sharp as a second while buckets last', () => {
    const histogram = filled([0, 1, 2, 3].map((at) => ({ at: T0 + at * SEC, count: 1 })));
    expect(histogram.between(T0 + SEC, T0 + 2 * SEC)).toBe(2);
    expect(histogram.between(T0 + 10 * SEC, T0 + 20 * SEC)).toBe(0);
  });
});
