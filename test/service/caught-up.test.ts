import { expect, it } from '@jest/globals';
import { areCaughtUp } from '../../src/service/caught-up.js';

const NOW = { nowMs: 100_000, sinceMs: 90_000, readyLagUs: 5_000_000 };
const stream = (isAtEnd: boolean, lastUs?: number, heardAtMs = 95_000) => ({ isAtEnd, lastUs, heardAtMs });

it.each([
  ['there is none', [], true],
  ['all are at their ends, whatever their last records are', [stream(true), stream(true, 1)], true],
  ['one is not at its end and near the present', [stream(true), stream(false, 95_000_000)], true],
  ['one is not at its end and further back', [stream(true), stream(false, 94_999_999)], false],
  ['one is not at its end, and no record was read of it', [stream(false)], false],
  ['one was not heard of since there may be more', [stream(true, 100_000_000, 89_999)], false],
])('streams, of which %s, are caught up: %p is %p', (_, streams, expected) => {
  expect(areCaughtUp(streams, NOW)).toBe(expected);
});
