import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseTimestamp } from '../../../src/formats/audit/index.js';
import { formatTime } from '../../../src/model/time.js';

const AT = Date.UTC(2026, 0, 2, 15, 4, 5) * 1000;

describe('parseTimestamp', () => {
  test.each([
    ['2026-01-02T15:04:05.000000Z', AT],
    ['2026-01-02T15:04:05Z', AT],
    ['2026-01-02t15:04:05z', AT],
    ['2026-01-02 15:04:05', AT],
    ['2026-01-02 15:04:05.38', AT + 380_000],
    ['2026-01-02T15:04:05.123456789Z', AT + 123_456],
    ['2026-01-02T16:34:05.5+01:30', AT + 500_000],
    ['2026-01-02T10:04:05-05:00', AT],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29) * 1000],
  ])('reads %s', (text, us) => {
    expect(parseTimestamp(text)).toBe(us);
  });

  test.each([
    '',
    'null',
    '2026-01-02',
    '2026-13-02T15:04:05Z',
    '2026-02-29T15:04:05Z',
    '2026-01-00T15:04:05Z',
    '2026-01-02T24:04:05Z',
    '2026-01-02T15:60:05Z',
    '2026-01-02T15:04:60Z',
    '2026-01-02T15:04:05.1234567890Z',
    '2026-01-02T15:04:05+24:00',
    '2026-01-02T15:04:05Z ',
    '0001-01-01T00:00:00Z',
    '1970-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59Z',
  ])('gives 0 for %j', (text) => {
    expect(parseTimestamp(text)).toBe(0);
  });

  test('undoes formatTime', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7_000_000_000_000_000 }), (us) => {
        expect(parseTimestamp(formatTime(us))).toBe(us);
      }),
    );
  });
});
