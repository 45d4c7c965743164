/** Memory does not grow with the input: 10 MB, 100 MB and 1 GB take the same, and little. */
import { describe, expect, test } from '@jest/globals';
import { analyzeFiles, analyzePipe, type MemoryUse } from './run-analyze.js';

const LIMIT = 256_000_000;
const SIZES = { '10m': 10_000_000, '100m': 100_000_000, '1g': 1_000_000_000 };
/** The generator's events are shorter than this on average: fewer records would mean that input was left unread. */
const MEAN_EVENT = 1_200;

describe('analyze', () => {
  test('takes the same memory for 10 MB, 100 MB and 1 GB of the logs of three servers', async () => {
    const uses = [await analyzeFiles('10m'), await analyzeFiles('100m'), await analyzeFiles('1g')];
    expectTheSame(uses, [SIZES['10m'], SIZES['100m'], SIZES['1g']], 3);
  }, 240_000);

  test('takes the same memory for 10 MB and 100 MB on standard input', async () => {
    const uses = [await analyzePipe('10m'), await analyzePipe('100m')];
    expectTheSame(uses, [SIZES['10m'], SIZES['100m']], 1);
  });
});

function expectTheSame(uses: readonly MemoryUse[], sizes: readonly number[], servers: number): void {
  expect(uses.map((use) => use.servers)).toEqual(sizes.map(() => servers));
  for (const [i, size] of sizes.entries()) expect(uses[i]?.records).toBeGreaterThan(size / MEAN_EVENT);
  const peaks = uses.map((use) => use.peak);
  expect(Math.max(...peaks)).toBeLessThan(LIMIT);
  expect(Math.max(...peaks) / Math.min(...peaks)).toBeLessThan(1.2);
}
