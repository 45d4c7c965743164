/** One jest test for every recorded run under a folder and both modes: the comparison must show no difference. */
import { basename } from 'node:path';
import { expect, test } from '@jest/globals';
import { findRuns } from '../../src/conformance/find-runs.js';
import { checkRun } from '../../src/conformance/run.js';

export function testRunsUnder(dir: string): void {
  const runs = findRuns(dir);
  test('there are runs', () => {
    expect(runs.length).toBeGreaterThan(0);
  });
  const cases = runs.flatMap((run) => (['all', 'audit'] as const).map((mode) => [basename(run), mode, run] as const));
  test.each(cases)('%s, given %s', async (_, mode, run) => {
    const { differences } = await checkRun(run, mode);
    expect(differences.map(({ kind, text }) => `${kind}: ${text}`)).toStrictEqual([]);
  });
}
