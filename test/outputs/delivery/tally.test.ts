import { expect, test } from '@jest/globals';
import { Tally } from '../../../src/outputs/delivery/tally.js';

test('counts between two reports; equal reasons together; nothing waiting is not listed', () => {
  const tally = new Tally();
  tally.delivered(2, 'HTTP 200');
  tally.known(1);
  for (let times = 0; times < 3; times++) tally.refused('no', '/spool');
  tally.refused('no', null);
  expect(tally.report([{ count: 0, reason: 'x', where: null }])).toEqual({
    delivered: 2,
    known: 1,
    waiting: [],
    refused: [
      { count: 3, reason: 'no', where: '/spool' },
      { count: 1, reason: 'no', where: null },
    ],
    answer: 'HTTP 200',
  });
  expect(tally.report([])).toEqual({ delivered: 0, known: 0, waiting: [], refused: [], answer: 'HTTP 200' });
});

test('reasons are bounded, their count is right', () => {
  const tally = new Tally();
  for (let at = 0; at < 1_000; at++) tally.refused(`reason ${at}`, null);
  const { refused } = tally.report([]);
  expect(refused.length).toBe(20);
  expect(refused.reduce((sum, { count }) => sum + count, 0)).toBe(1_000);
});
