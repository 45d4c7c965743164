import { describe, expect, it } from '@jest/globals';
import { parseDuration } from '../../src/rules/duration.js';

describe('parseDuration', () => {
  it.each([
    ['30s', 30_000_000],
    ['5m', 300_000_000],
    ['1h30m', 5_400_000_000],
    ['250ms', 250_000],
    ['1.5s', 1_500_000],
    ['7us', 7],
    ['0s', 0],
  ])('%s is %d microseconds', (text, us) => {
    expect(parseDuration(text)).toBe(us);
  });

  it.each(['', '5', 'm', '5 m', '-5m', '1d', '5m3', '99999999999999999999s'])('%j is none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});
