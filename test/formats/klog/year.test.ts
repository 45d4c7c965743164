import { describe, expect, it } from '@jest/globals';
import { YearFinder } from '../../../src/formats/klog/year.js';
import { formatTime, HOUR } from '../../../src/model/time.js';

const hint = (text: string) => Date.parse(text) * 1000;

describe('YearFinder', () => {
  it.each([
    ['2026-06-01T00:00:00Z', 5, 31, '2026-05-31'],
    ['2026-06-01T12:00:00Z', 6, 2, '2026-06-02'],
    ['2026-06-01T12:00:00Z', 6, 3, '2025-06-03'],
    ['2026-01-01T00:10:00Z', 12, 31, '2025-12-31'],
    ['2025-12-31T23:50:00Z', 1, 1, '2026-01-01'],
    ['2026-03-01T00:00:00Z', 2, 29, '2024-02-29'],
  ])('near %s finds %d/%d in %s', (near, month, day, expected) => {
    expect(formatTime(new YearFinder(hint(near)).resolve(month, day, HOUR))).toBe(`${expected}T01:00:00.000000Z`);
  });

  it('follows a better hint', () => {
    const years = new YearFinder(0);
    years.resolve(5, 1, 0);
    years.learn(hint('2026-06-01T00:00:00Z'));
    expect(formatTime(years.resolve(5, 1, 0))).toBe('2026-05-01T00:00:00.000000Z');
  });
});
