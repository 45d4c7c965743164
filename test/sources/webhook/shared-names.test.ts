import { expect, test } from '@jest/globals';
import { SharedNames } from '../../../src/sources/webhook/shared-names.js';

const MINUTE = 60_000;

test('a name that one address shows is its own', () => {
  const told: string[] = [];
  const names = new SharedNames((name) => told.push(name));
  expect([names.isOwn('a', '10.0.0.1', 0), names.isOwn('a', '10.0.0.1', 1), names.isOwn('b', '10.0.0.1', 2)]).toEqual([
    true,
    true,
    true,
  ]);
  expect(told).toEqual([]);
});

test('a name that two addresses show at a time is nobody’s from then on', () => {
  const told: string[] = [];
  const names = new SharedNames((name) => told.push(name));
  names.isOwn('a', '10.0.0.1', 0);
  expect(names.isOwn('a', '10.0.0.2', MINUTE)).toBe(false);
  expect(names.isOwn('a', '10.0.0.1', 2 * MINUTE)).toBe(false);
  expect(names.isOwn('a', '10.0.0.1', 1000 * MINUTE)).toBe(false);
  expect(told).toEqual(['a']);
});

test('a server may come back with another address', () => {
  const names = new SharedNames(() => {});
  names.isOwn('a', '10.0.0.1', 0);
  expect(names.isOwn('a', '10.0.0.2', 11 * MINUTE)).toBe(true);
});

test('beyond 1024 names no new one counts', () => {
  const names = new SharedNames(() => {});
  for (let number = 0; number < 1024; number++) names.isOwn(`n${number}`, '10.0.0.1', 0);
  expect(names.isOwn('one-more', '10.0.0.1', 0)).toBe(false);
  expect(names.isOwn('n7', '10.0.0.1', 0)).toBe(true);
});
