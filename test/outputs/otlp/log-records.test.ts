/** Findings, discovery states and version windows as log records. */
import { describe, expect, test } from '@jest/globals';
import { SeverityNumber } from '@opentelemetry/api-logs';
import fc from 'fast-check';
import type { DiscoveryCell } from '../../../src/model/analysis.js';
import { DiscoveryLog } from '../../../src/outputs/otlp/discovery-logs.js';
import { findingRecord } from '../../../src/outputs/otlp/finding-logs.js';
import { ServerResources } from '../../../src/outputs/otlp/resources.js';
import { VersionWindowLog } from '../../../src/outputs/otlp/version-window-logs.js';
import { versionWindows } from '../../../src/outputs/otlp/version-windows.js';
import { analysis, finding, server, T0 } from './examples.js';

const SERVERS = [server('cp1'), server('cp2')];
const resources = () => new ServerResources().update(SERVERS);
const MINUTE = 60_000_000;

describe('a finding', () => {
  const opened = findingRecord({ kind: 'opened', finding: finding() }, resources());

  test('is a record of its server with what an operator needs', () => {
    expect(opened).toMatchObject({
      eventName: 'skewscope.finding',
      severityNumber: SeverityNumber.ERROR,
      severityText: 'critical',
      body: 'cp1 does not trust the serving certificate of cp2',
    });
    expect(opened.attributes).toMatchObject({
      'skewscope.finding.rule': 'peer-ca-untrusted',
      'skewscope.finding.fingerprint': '0123456789abcdef',
      'skewscope.finding.state': 'opened',
      'skewscope.finding.edges': ['cp1 -> cp2'],
      'skewscope.finding.from': '2026-01-02T03:04:05.000000Z',
      'skewscope.server': 'cp1',
      'skewscope.log.input': 'cp1-kube-apiserver.log',
      'skewscope.log.line': 12,
    });
    expect(opened.resource.attributes['service.instance.id']).toBe('apiserver-cp1');
  });

  test('keeps its trace through its life, and each state is a record of its own', () => {
    const later = finding({ severity: 'warning', count: 9, to: T0 + 9_000_000 });
    const updated = findingRecord({ kind: 'updated', finding: later }, resources());
    const resolved = findingRecord({ kind: 'resolved', finding: later }, resources());
    const records = [opened, updated, resolved];
    expect(new Set(records.map(({ spanContext }) => spanContext?.traceId)).size).toBe(1);
    expect(new Set(records.map(({ attributes }) => attributes['log.record.uid'])).size).toBe(3);
    expect(records.map(({ severityNumber }) => severityNumber)).toEqual([
      SeverityNumber.ERROR,
      SeverityNumber.WARN,
      SeverityNumber.INFO,
    ]);
    expect(resolved.body).toMatch(/^Resolved: /);
  });

  test('is the same record when it is told again', () => {
    expect(findingRecord({ kind: 'opened', finding: finding() }, resources()).attributes).toEqual(opened.attributes);
  });

  test('of no single server is one of the cluster', () => {
    const record = findingRecord({ kind: 'opened', finding: finding({ server: null }) }, resources());
    expect(record.resource.attributes).toMatchObject({ 'service.name': 'skewscope', 'k8s.cluster.name': 'default' });
  });

  test('holds no quotes of logs and no unbounded text', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constant('Bearer abcdefghijklmnop '.repeat(1_000)));
    fc.assert(
      fc.property(text, text, text, (summary, cause, name) => {
        const edges = Array.from({ length: 500 }, () => ({ source: name, destination: name }));
        const evidence = [{ input: name, line: 1, offset: 0, quote: 'QUOTED' }];
        const told = finding({ summary, cause, fix: cause, title: name, rule: name, cluster: name, edges, evidence });
        const record = findingRecord({ kind: 'opened', finding: { ...told, to: Number.NaN } }, resources());
        const all = JSON.stringify([record.body, record.attributes, record.resource.attributes]);
        expect(all.length).toBeLessThan(60_000);
        expect(all).not.toMatch(/QUOTED|abcdefghijklmnop/);
      }),
      { numRuns: 100 },
    );
  });
});

describe('discovery states', () => {
  const cell = (changes: Partial<DiscoveryCell>): DiscoveryCell => ({
    source: 'cp1',
    destination: 'cp2',
    state: 'ok',
    fetches: 3,
    failures: 0,
    lastAt: T0,
    cause: null,
    ...changes,
  });
  const told = (log: DiscoveryLog, ...cells: DiscoveryCell[]) =>
    log.changes(analysis({ discovery: cells }), resources()).map(({ body, severityText }) => [severityText, body]);

  test('are told when they change', () => {
    const log = new DiscoveryLog();
    expect(told(log, cell({}))).toEqual([['info', 'cp1 fetched the APIs of cp2']]);
    expect(told(log, cell({ fetches: 4, lastAt: T0 + 1 }))).toEqual([]);
    expect(told(log, cell({ state: 'failing', cause: 'refused' }))).toEqual([
      ['warning', 'cp1 cannot fetch the APIs of cp2: refused'],
    ]);
    expect(told(log, cell({ state: 'failing', cause: 'timeout' }))).toHaveLength(1);
    expect(told(log, cell({ state: 'missing' }), cell({ destination: 'cp3', state: 'unknown' }))).toHaveLength(2);
  });
});

test('all states of an edge share a trace, which is of that edge alone', () => {
  const cell = (state: DiscoveryCell['state'], destination = 'cp2'): DiscoveryCell => {
    return { source: 'cp1', destination, state, fetches: 1, failures: 0, lastAt: T0, cause: null };
  };
  const log = new DiscoveryLog();
  const contexts = [[cell('ok'), cell('ok', 'cp3')], [cell('failing')]].flatMap((discovery) =>
    log.changes(analysis({ discovery }), resources()).map(({ spanContext }) => spanContext),
  );
  const [first, other, again] = contexts.map((context) => context?.traceId);
  expect(first).toMatch(/^[\da-f]{32}$/);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect(contexts.every((context) => /^[\da-f]{16}$/.test(context?.spanId ?? ''))).toBe(true);
});

describe('version windows', () => {
  const upgraded = (name: string, atMinute: number, endMinute = 60) =>
    server(name, {
      versions: [
        { version: 'v1.35.4', from: T0, to: T0 + atMinute * MINUTE },
        { version: 'v1.36.3', from: T0 + atMinute * MINUTE + 1, to: T0 + endMinute * MINUTE },
      ],
    });

  test('last from the first server that is upgraded to the last', () => {
    const servers = [upgraded('cp1', 10), upgraded('cp2', 20), upgraded('cp3', 30)];
    expect(versionWindows(servers)).toEqual([
      {
        cluster: 'default',
        from: T0 + 10 * MINUTE + 1,
        to: T0 + 30 * MINUTE,
        versions: ['v1.35.4', 'v1.36.3'],
      },
    ]);
  });

  test('are none where all servers are of one version, or of other clusters', () => {
    expect(versionWindows([server('cp1'), server('cp2')])).toEqual([]);
    expect(versionWindows([upgraded('cp1', 10), server('x', { cluster: 'b' })])).toEqual([]);
  });

  test('keep their trace from their beginning to their end', () => {
    const log = new VersionWindowLog();
    const at = (minute: number, end: number) =>
      log.changes(
        analysis({
          servers: [upgraded('cp1', 10, end), upgraded('cp2', minute, end)],
          window: { from: T0, to: T0 + end * MINUTE },
        }),
        resources(),
      );
    const records = [...at(15, 15), ...at(15, 40)];
    expect(records.map(({ attributes }) => attributes['skewscope.version_window.state'])).toEqual(['open', 'ended']);
    expect(new Set(records.map(({ spanContext }) => spanContext?.traceId ?? '')).size).toBe(1);
    expect(records[0]?.spanContext?.traceId).toMatch(/^[\da-f]{32}$/);
  });

  test('are told as open while they may go on, then as ended, each once', () => {
    const log = new VersionWindowLog();
    const at = (minute: number, servers = [upgraded('cp1', 10, minute), upgraded('cp2', minute, minute)]) =>
      log
        .changes(analysis({ servers, window: { from: T0, to: T0 + minute * MINUTE } }), resources())
        .map(({ attributes }) => attributes['skewscope.version_window.state']);
    expect(at(15)).toEqual(['open']);
    expect(at(18)).toEqual([]);
    const both = [upgraded('cp1', 10, 40), upgraded('cp2', 20, 40)];
    expect(at(40, both)).toEqual(['ended']);
    expect(at(41, both)).toEqual([]);
  });
});
