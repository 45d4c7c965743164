/** Memory does not grow with the input: 10 MB, 100 MB and 1 GB take the same, and little. */
import { describe, expect, test } from '@jest/globals';
import { analyzeFiles, analyzePipe, type MemoryUse } from './run-analyze.js';

const LIMIT = 256_000_000;
const SIZES = { '10m': 10_000_000, '100m': 100_000_000, '1g': 1_000_000_000 };
/** The generator's events are this long on average, at most: fewer records would mean that input was left unread. */
const MEAN_EVENT = 1_200;

describe.each([
  ['the logs of three servers', analyzeFiles, 3],
  ['a stream on standard input', analyzePipe, 1],
])('analyze on %s', (_, analyze, servers) => {
  test('takes the same memory for 10 MB, 100 MB and 1 GB', async () => {
    const uses: MemoryUse[] = [];
    for (const [name, bytes] of Object.entries(SIZES)) {
      const use = await analyze(name);
      expect(use.servers).toBe(servers);
      expect(use.records).toBeGreaterThan(bytes / MEAN_EVENT);
      uses.push(use);
    }
    const peaks = uses.map((use) => use.peak);
    expect(Math.max(...peaks)).toBeLessThan(LIMIT);
    expect(Math.max(...peaks) / Math.min(...peaks)).toBeLessThan(1.2);
  }, 180_000);
});
