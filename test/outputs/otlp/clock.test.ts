/** The destination's times on the source's clock. */
import { describe, expect, test } from '@jest/globals';
import { alignDestination, hopMs } from '../../../src/outputs/otlp/clock.js';
import { request, side, T0 } from './examples.js';

const far = (fromUs: number, toUs: number | null, code: number | null = 201) => side('cp2', fromUs, toUs, code);

function align(destination: ReturnType<typeof far>, skewUs = 0, source = side('cp1', 0, 10_000, 201)) {
  const { startUs, endUs, correctionUs } = alignDestination({ ...request({ source, skewUs }), destination });
  return [startUs - T0, endUs - T0, correctionUs];
}

describe('alignDestination', () => {
  test('leaves times that fit alone, whatever the estimate', () => {
    expect(align(far(2_000, 8_000), 1_900)).toEqual([2_000, 8_000, 0]);
  });

  test('takes the skew off where the times do not fit', () => {
    expect(align(far(5_002_000, 5_008_000), 5_000_000)).toEqual([2_000, 8_000, 5_000_000]);
    expect(align(far(-4_998_000, -4_992_000), -5_000_000)).toEqual([2_000, 8_000, -5_000_000]);
  });

  test('takes off no more and no less than what fits', () => {
    expect(align(far(-500, 7_000), 0)).toEqual([0, 7_500, -500]);
    expect(align(far(3_000, 10_400), 0)).toEqual([2_600, 10_000, 400]);
    expect(align(far(100_000, 106_000), 99_000)).toEqual([1_000, 7_000, 99_000]);
    expect(align(far(100_000, 106_000), 200_000)).toEqual([0, 6_000, 100_000]);
  });

  test('never lets a request arrive before it came', () => {
    const cut = side('cp1', 0, 10_000, 500);
    expect(align(far(1_000, 12_000, 500), 3_000, cut)).toEqual([0, 11_000, 1_000]);
  });

  test('leaves a request late that reached its destination after the source had given up', () => {
    const gaveUp = side('cp1', 0, 30_000, 503);
    expect(align(far(41_000_000, 41_002_000, 200), 0, gaveUp)).toEqual([41_000_000, 41_002_000, 0]);
  });

  test('ends an open one where it begins', () => {
    expect(align(far(2_000, null, null))).toEqual([2_000, 2_000, 0]);
  });
});

describe('hopMs', () => {
  test('is what the source took beyond the destination', () => {
    expect(hopMs(request())).toBe(4);
  });

  test.each([
    ['nobody was reached', { destination: null }],
    ['the source had given up', { source: side('cp1', 0, 10_000, 503) }],
    ['one side is open', { destination: far(2_000, null) }],
    ['the destination took longer', { destination: far(0, 20_000) }],
  ])('is unknown when %s', (_case, changes) => {
    expect(hopMs(request(changes))).toBeNull();
  });
});
