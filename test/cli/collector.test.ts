/** What a real collector holds after `analyze` has ended. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { runCli } from '../../src/cli/run.js';
import { BUILD_TIMEOUT_MS, buildCollector, whyNoCollector } from '../services/collector/build.js';
import { collect } from '../services/collector/collector.js';
import { makeFolder } from '../sources/folder.js';
import { fakeTerminal, wordStages } from './fakes.js';

const reason = whyNoCollector();
if (reason !== undefined) console.warn(`tests with a collector are skipped: ${reason}`);
const withCollector = reason === undefined ? describe : describe.skip;

withCollector('a collector', () => {
  beforeAll(async () => {
    await buildCollector();
  }, BUILD_TIMEOUT_MS);

  test('gets findings and metrics of a single run', async () => {
    const folder = makeFolder({ 'bad.log': 'critical warning critical' });
    const terminal = fakeTerminal();
    const { logs, metrics } = await collect(async ({ endpoint }) => {
      const code = await runCli(
        ['analyze', `${folder.path}/bad.log`, '--otlp-endpoint', endpoint],
        terminal,
        wordStages,
      );
      expect([code, terminal.stderr.text.match(/delivered/g)?.length]).toEqual([1, 2]);
    });
    folder.drop();
    expect(logs).toHaveLength(3);
    const values = (name: string) =>
      metrics.filter((metric) => metric.name === name).flatMap(({ points }) => points.map(({ value }) => value));
    expect(values('skewscope_findings_open').reduce((sum, value) => sum + value, 0)).toBe(3);
    expect(values('skewscope_records_read_total')).toEqual([1]);
  });
});
