/** What docs/outputs.md shows is what the program takes and gives. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parseConfig } from '../../src/config/index.js';
import { Metrics } from '../../src/outputs/metrics/index.js';
import { batch } from '../outputs/otlp/examples.js';

const PAGE = readFileSync(new URL('../../docs/outputs.md', import.meta.url), 'utf8');

test('the configuration is taken, and shows every kind of output', () => {
  const [, yaml = ''] = /```yaml\n([\s\S]+?)```/.exec(PAGE) ?? [];
  const { folder, ...outputs } = parseConfig(yaml, 'conf/skew.yaml').outputs ?? { folder: '' };
  expect(folder).toBe('conf');
  expect(Object.keys(outputs).sort()).toEqual(
    ['alertmanager', 'deadline', 'kafka', 'metrics', 'ndjson', 'otlp', 'pagerduty', 'slack', 'spool', 'webhook'].sort(),
  );
});

test('every metric is named, and no other', () => {
  const metrics = new Metrics({ startMs: 0 });
  metrics.update(batch());
  const names = metrics
    .collect(0)
    .scopeMetrics.flatMap((scope) => scope.metrics.map(({ descriptor }) => descriptor.name));
  const shown = new Set([...PAGE.matchAll(/`(skewscope_[a-z_]+)`/g)].map(([, name]) => name));
  expect([...shown].sort()).toEqual([...names].sort());
});
