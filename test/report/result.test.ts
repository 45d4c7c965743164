import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toResult } from '../../src/report/result.js';
import { resultSchema } from '../../src/report/result-schema.js';
import { analysis, finding } from './example.js';

describe('toResult', () => {
  test('is what the schema says, with no field beside it', () => {
    const result = toResult(analysis());
    expect(resultSchema.parse(result)).toStrictEqual(result);
    expect(Object.keys(result)).toStrictEqual([
      'schema',
      'inputs',
      'window',
      'servers',
      'clusters',
      'proxied',
      'discovery',
      'notFound',
      'findings',
      'unjudged',
    ]);
  });

  test('writes times as RFC 3339 and null where nothing was read', () => {
    expect(toResult(analysis()).window).toStrictEqual({
      from: '2026-01-02T11:20:00.000000Z',
      to: '2026-01-02T11:30:00.000000Z',
    });
    expect(toResult(analysis({ window: null })).window).toBeNull();
  });

  test('puts causes before consequences, certain before possible, and worst first', () => {
    expect(toResult(analysis()).findings.map(({ rule }) => rule)).toStrictEqual([
      'peer-ca-untrusted',
      'wrong-not-found',
      'discovery-edge-missing',
      'mixed-version-window',
    ]);
    const rules = ['wrong-not-found', 'my-own-rule', 'gate-off'].map((rule) => finding({ rule }));
    const possible = finding({ rule: 'startup-refused', confidence: 'possible' });
    expect(toResult(analysis({ findings: [possible, ...rules] })).findings.map(({ rule }) => rule)).toStrictEqual([
      'gate-off',
      'my-own-rule',
      'wrong-not-found',
      'startup-refused',
    ]);
  });

  test('names the cluster of every row where one is named, also when it is the only one', () => {
    const base = analysis();
    const cluster = 'prod-1';
    const result = toResult({
      ...base,
      clusters: [cluster],
      servers: base.servers.map((server) => ({ ...server, cluster })),
      findings: base.findings.map((finding) => ({ ...finding, cluster })),
      inputs: base.inputs.map((input) => ({ ...input, cluster })),
    });
    const { inputs, servers, proxied, discovery, notFound, findings } = result;
    for (const rows of [inputs, servers, proxied.routes, discovery, notFound, findings]) {
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) expect(row.cluster).toBe(cluster);
    }
  });

  test('names no cluster where nothing does', () => {
    const one = toResult(analysis());
    expect(one.findings.some((f) => 'cluster' in f) || one.servers.some((s) => 'cluster' in s)).toBe(false);
    const base = analysis();
    const [first, ...others] = base.servers;
    if (first === undefined) throw new Error('the example has servers');
    const two = toResult(
      analysis({ clusters: ['default', 'blue'], servers: [{ ...first, cluster: 'blue' }, ...others] }),
    );
    expect(two.clusters).toStrictEqual([{ name: 'blue' }, { name: 'default' }]);
    expect(two.servers.map(({ name, cluster }) => [name, cluster])).toStrictEqual([
      ['cp1', 'blue'],
      ['cp2', 'default'],
    ]);
    expect(two.discovery.map(({ source, cluster }) => [source, cluster])).toStrictEqual([
      ['cp1', 'blue'],
      ['cp2', 'default'],
    ]);
    expect(two.findings.every(({ cluster }) => cluster === 'default')).toBe(true);
  });

  test('leaves the cluster out of an edge whose server name stands in two clusters', () => {
    const base = analysis();
    const servers = [...base.servers, ...base.servers.map((server) => ({ ...server, cluster: 'blue' }))];
    const result = toResult(analysis({ clusters: ['default', 'blue'], servers }));
    expect(result.discovery.some((cell) => 'cluster' in cell)).toBe(false);
  });

  test('does not depend on the order in which lists are given', () => {
    const base = analysis();
    const expected = JSON.stringify(toResult(base));
    const shuffled = <T>(items: readonly T[]) => fc.shuffledSubarray([...items], { minLength: items.length });
    fc.assert(
      fc.property(
        shuffled(base.findings),
        shuffled(base.servers),
        shuffled(base.discovery),
        shuffled(base.notFound),
        shuffled(base.inputs),
        shuffled(base.unjudged),
        (findings, servers, discovery, notFound, inputs, unjudged) => {
          const again = toResult({ ...base, findings, servers, discovery, notFound, inputs, unjudged });
          expect(JSON.stringify(again)).toBe(expected);
        },
      ),
    );
  });
});
