import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { NameCounts, Sample } from '../../src/correlate/sketch.js';

const values = fc.array(fc.record({ key: fc.uuid(), value: fc.integer({ min: -1000, max: 100_000 }) }), {
  maxLength: 80,
});

function sample(list: readonly { key: string; value: number }[]): Sample {
  const made = new Sample(16);
  for (const { key, value } of list) made.add(key, value);
  return made;
}

function told(made: Sample) {
  return [made.count, made.max, ...[0, 0.5, 0.99, 1].map((q) => made.quantile(q))];
}

describe('Sample', () => {
  test('neither order nor partition changes it', () => {
    fc.assert(
      fc.property(values, fc.nat({ max: 80 }), (list, cut) => {
        const whole = told(sample(list));
        expect(told(sample([...list].reverse()))).toEqual(whole);
        const merged = sample(list.slice(cut));
        merged.merge(sample(list.slice(0, cut)));
        expect(told(merged)).toEqual(whole);
      }),
    );
  });

  test('quantiles are values of the sample, in order', () => {
    fc.assert(
      fc.property(values, (list) => {
        fc.pre(list.length > 0);
        const [p0, p50, p99] = [0, 0.5, 0.99].map((q) => sample(list).quantile(q)) as [number, number, number];
        expect(list.map(({ value }) => value)).toEqual(expect.arrayContaining([p0, p50, p99]));
        expect(p0 <= p50 && p50 <= p99 && p99 <= sample(list).max).toBe(true);
      }),
    );
  });

  test('of nothing is no number', () => {
    expect(new Sample().quantile(0.5)).toBeNaN();
  });
});

describe('NameCounts', () => {
  test('ranks by count, then by name', () => {
    const counts = new NameCounts();
    for (const name of ['b', 'a', 'c', 'c']) counts.add(name);
    expect(counts.names()).toEqual(['c', 'a', 'b']);
    expect([counts.get('c'), counts.get('d'), counts.has('a')]).toEqual([2, 0, true]);
  });

  test('what is over the limit is counted', () => {
    const counts = new NameCounts(2);
    for (const name of ['a', 'b', 'c', 'd', 'a']) counts.add(name);
    expect(counts.names()).toEqual(['a', 'b']);
    expect(counts.others).toBe(2);
    const merged = new NameCounts(2);
    merged.merge(counts);
    expect(merged.others).toBe(2);
  });
});
