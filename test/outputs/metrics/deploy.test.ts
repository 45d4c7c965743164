/** The alerting rules and the dashboard that ship: correct, and about metrics that exist. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { Metrics, prometheusText } from '../../../src/outputs/metrics/index.js';
import { batch, failedRequest, finding, request, T0 } from '../otlp/examples.js';

const DEPLOY = fileURLToPath(new URL('../../../deploy', import.meta.url));
const RULES = join(DEPLOY, 'prometheus/skewscope.rules.yaml');
const DASHBOARD = JSON.parse(readFileSync(join(DEPLOY, 'grafana/skewscope.json'), 'utf8'));

const METRICS = new Metrics({ startMs: 0 });
METRICS.update(batch({ findings: [finding()], requests: [request(), failedRequest()] }));
const COLLECTED = METRICS.collect(T0 / 1000);
const NAMES = new Set(
  COLLECTED.scopeMetrics
    .flatMap(({ metrics }) => metrics.map(({ descriptor }) => descriptor.name))
    .flatMap((name) => [name, ...['_bucket', '_sum', '_count'].map((end) => `${name}${end}`)]),
);

function metricsIn(expression: string): string[] {
  return expression.match(/\bskewscope_[a-z_]+/g) ?? [];
}

describe('the alerting rules', () => {
  const rules = parse(readFileSync(RULES, 'utf8')).groups.flatMap((group: { rules: unknown[] }) => group.rules);

  test('ask only for metrics that exist, and have all that an operator needs', () => {
    expect(rules.length).toBeGreaterThan(5);
    for (const { alert, expr, labels, annotations } of rules) {
      expect(alert).toMatch(/^Skewscope[A-Z]/);
      expect(metricsIn(expr).filter((name) => !NAMES.has(name))).toEqual([]);
      expect(metricsIn(expr)).not.toHaveLength(0);
      expect(labels.severity).toMatch(/^(info|warning|critical)$/);
      expect([typeof annotations.summary, typeof annotations.description]).toEqual(['string', 'string']);
    }
  });
});

const missing =
  process.env.SKEWSCOPE_REQUIRE_SERVICES === '1' || spawnSync('promtool', ['--version']).status === 0
    ? undefined
    : 'promtool is not installed';
if (missing !== undefined) console.warn(`checks of the alerting rules are skipped: ${missing}`);
const withPromtool = missing === undefined ? describe : describe.skip;

withPromtool('promtool', () => {
  const promtool = (args: readonly string[], input = '') =>
    execFileSync('promtool', args, { input, encoding: 'utf8', stdio: 'pipe', cwd: join(DEPLOY, 'prometheus') });

  test('accepts the rules', () => {
    expect(promtool(['check', 'rules', RULES])).toMatch(/SUCCESS: \d+ rules found/);
  });

  test('sees every alert rise and end as its tests say', () => {
    expect(promtool(['test', 'rules', 'skewscope.rules.test.yaml'])).toContain('SUCCESS');
    const tested = readFileSync(join(DEPLOY, 'prometheus/skewscope.rules.test.yaml'), 'utf8');
    const alerts = [...readFileSync(RULES, 'utf8').matchAll(/alert: (\w+)/g)].map(([, name]) => name);
    expect(alerts.filter((name) => !tested.includes(`alertname: ${name}`))).toEqual([]);
  });

  test('has nothing to say against the metrics', () => {
    expect(promtool(['check', 'metrics'], prometheusText(COLLECTED))).toBe('');
  });
});

describe('the dashboard', () => {
  interface Panel {
    readonly id: number;
    readonly type: string;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly datasource: unknown }[];
  }
  const panels: Panel[] = DASHBOARD.panels;

  test('has the fields that Grafana asks for', () => {
    expect(DASHBOARD).toMatchObject({ title: 'skewscope', uid: 'skewscope', schemaVersion: expect.any(Number) });
    expect(DASHBOARD.id).toBeUndefined();
    expect(DASHBOARD.templating.list.map(({ name }: { name: string }) => name)).toEqual(['datasource', 'cluster']);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.every(({ title }) => title !== '')).toBe(true);
    expect(new Set(panels.map(({ type }) => type))).toEqual(new Set(['row', 'stat', 'table', 'timeseries']));
  });

  test('lays its panels side by side', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });

  test('asks only for metrics that exist, of the chosen data source', () => {
    const targets = panels.flatMap((panel) => panel.targets ?? []);
    expect(targets.length).toBeGreaterThan(15);
    for (const { expr, datasource } of targets) {
      expect(metricsIn(expr).filter((name) => !NAMES.has(name))).toEqual([]);
      expect(metricsIn(expr)).not.toHaveLength(0);
      expect(datasource).toEqual({ type: 'prometheus', uid: `\${datasource}` });
    }
  });

  test('shows every metric', () => {
    const shown = new Set(panels.flatMap((panel) => panel.targets ?? []).flatMap(({ expr }) => metricsIn(expr)));
    const names = COLLECTED.scopeMetrics.flatMap(({ metrics }) => metrics.map(({ descriptor }) => descriptor.name));
    const hidden = names.filter((name) => ![...shown].some((one) => one.startsWith(name)));
    expect(hidden).toEqual([]);
  });
});
