import { describe, expect, test } from '@jest/globals';
import { InvalidArgumentError } from 'commander';
import fc from 'fast-check';
import { parseTime } from '../../src/cli/time-option.js';
import { formatTime } from '../../src/model/time.js';

const NOW = Date.UTC(2026, 0, 5, 12);

describe('parseTime', () => {
  test.each([
    ['2026-01-05T03:04:05Z', '2026-01-05T03:04:05.000000Z'],
    ['2026-01-05T03:04:05.123456Z', '2026-01-05T03:04:05.123456Z'],
    ['2026-01-05T03:04:05.123456789Z', '2026-01-05T03:04:05.123456Z'],
    ['2026-01-05T03:04:05.5+02:00', '2026-01-05T01:04:05.500000Z'],
    ['2026-01-05 03:04:05z', '2026-01-05T03:04:05.000000Z'],
    ['2026-01-05', '2026-01-05T00:00:00.000000Z'],
    ['90s', '2026-01-05T11:58:30.000000Z'],
    ['1h30m', '2026-01-05T10:30:00.000000Z'],
    ['3d', '2026-01-02T12:00:00.000000Z'],
  ])('%s is %s', (text, time) => {
    expect(formatTime(parseTime(text, NOW))).toBe(time);
  });

  test.each([
    ['2026-01-05T03:04:05', 'add Z for UTC, as in 2026-01-05T03:04:05Z'],
    ['2026-02-30', 'There is no such time'],
    ['2026-13-01T00:00:00Z', 'There is no such time'],
    ['2026-01-05T25:00:00Z', 'There is no such time'],
    ['yesterday', 'a time ago as in 90s'],
    ['2 h', 'a time ago as in 90s'],
    ['', 'a time ago as in 90s'],
  ])('%j is refused: %s', (text, words) => {
    expect(() => parseTime(text, NOW)).toThrow(words);
  });

  test('reads every time that this program writes, and throws nothing else than a usage error', () => {
    const times = fc.integer({ min: 0, max: Date.UTC(2100, 0) * 1000 });
    fc.assert(fc.property(times, (us) => parseTime(formatTime(us), NOW) === us));
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          expect(Number.isFinite(parseTime(text, NOW))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidArgumentError);
        }
      }),
    );
  });
});
