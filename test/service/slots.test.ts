import { expect, test } from '@jest/globals';
import { Slots } from '../../src/service/slots.js';

const HOUR_US = 3_600_000_000;

test('a slot is half a window, and its number depends on the time alone', () => {
  const slots = new Slots(12 * HOUR_US);
  expect(slots.lengthUs).toBe(6 * HOUR_US);
  expect(slots.of(0)).toBe(0);
  expect(slots.of(6 * HOUR_US - 1)).toBe(0);
  expect(slots.of(6 * HOUR_US)).toBe(1);
  for (const slot of [0, 1, 77, 80_000]) expect(slots.of(slots.beginOf(slot))).toBe(slot);
  expect(slots.of(slots.beginOf(9) - 1)).toBe(8);
});

test('a window too short to be halved still has slots', () => {
  const slots = new Slots(1);
  expect(slots.lengthUs).toBe(1);
  expect(slots.of(5)).toBe(5);
});
