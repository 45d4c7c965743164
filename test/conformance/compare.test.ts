import { describe, expect, test } from '@jest/globals';
import { compare } from '../../src/conformance/compare.js';
import type { AnalysisResult } from '../../src/report/result-schema.js';
import { collected, expected, finding, result, untrusted, wrongNotFound } from './example.js';

const differences = (fields: Partial<AnalysisResult>) => compare(expected, result(fields), 'all').differences;
const texts = (fields: Partial<AnalysisResult>) => differences(fields).map(({ kind, text }) => `${kind}: ${text}`);

test('a result that says what it must, and no more, has no difference', () => {
  expect(compare(expected, result(), 'all')).toStrictEqual({
    findings: { right: 3, expected: 3 },
    pairs: { right: 5, expected: 5 },
    discovery: { right: 2, expected: 2 },
    servers: { right: 2, expected: 2 },
    differences: [],
  });
});

describe('findings that are missed', () => {
  const missed = (change: typeof untrusted) =>
    differences({ findings: [change, wrongNotFound, collected] }).filter(({ kind }) => kind === 'missed');

  test('absent, with what else was found of the rule', () => {
    expect(texts({ findings: [wrongNotFound, collected] })).toStrictEqual([
      'missed: peer-ca-untrusted; server cp1; edge cp1 → cp2 (no finding of that rule)',
    ]);
  });

  test.each([
    ['server', finding({ ...untrusted, server: 'cp2' })],
    ['edge', finding({ ...untrusted, edges: [{ source: 'cp2', destination: 'cp1' }] })],
    ['rule', finding({ ...untrusted, rule: 'serving-cert-name' })],
  ])('of another %s', (_, change) => {
    expect(missed(change)).toHaveLength(1);
  });

  test('of another resource', () => {
    const other = finding({ ...wrongNotFound, resource: 'cronjobs.batch/v1' });
    expect(texts({ findings: [untrusted, other, collected] })).toStrictEqual([
      'missed: wrong-not-found or feature-inactive; jobs.batch/v1 (of that rule: wrong-not-found (critical, certain); server cp1; cronjobs.batch/v1)',
    ]);
  });

  test('lacking an object, or naming one that was not harmed', () => {
    const lacking = finding({ ...collected, objects: [] });
    const extra = { resource: 'configmaps/v1', namespace: 'shop', name: 'z' };
    const blaming = finding({ ...collected, objects: [...collected.objects, extra] });
    for (const change of [lacking, blaming]) {
      expect(differences({ findings: [untrusted, wrongNotFound, change] }).map(({ kind }) => kind)).toStrictEqual([
        'missed',
        'false',
      ]);
    }
  });

  test('none when another rule of a list is there, of whatever severity', () => {
    const other = finding({ rule: 'feature-inactive', resource: 'jobs.batch/v1', severity: 'info' });
    expect(differences({ findings: [untrusted, other, collected] })).toStrictEqual([]);
  });
});

describe('findings that are false', () => {
  const extra = (fields: Parameters<typeof finding>[0]) =>
    differences({ findings: [...result().findings, finding(fields)] }).map(({ kind }) => kind);

  test('of a rule that is neither required nor allowed', () => {
    expect(extra({ rule: 'advertise-shared', severity: 'warning', confidence: 'likely' })).toStrictEqual(['false']);
  });

  test('of a required rule about somebody else', () => {
    expect(extra({ server: 'cp2', edges: [{ source: 'cp2', destination: 'cp1' }] })).toStrictEqual(['false']);
  });

  test('but not of an allowed rule, nor an info, nor what is only possible', () => {
    expect(extra({ rule: 'discovery-edge-missing' })).toStrictEqual([]);
    expect(extra({ rule: 'advertise-shared', severity: 'info' })).toStrictEqual([]);
    expect(extra({ rule: 'advertise-shared', confidence: 'possible' })).toStrictEqual([]);
  });

  test('by what is expected of audit logs alone when only they are given', () => {
    const findings = [finding({ rule: 'discovery-edge-missing', edges: [{ source: 'cp1', destination: 'cp2' }] })];
    expect(compare(expected, result({ findings }), 'audit').differences).toStrictEqual([]);
    expect(compare(expected, result(), 'audit').differences.map(({ kind }) => kind)).toStrictEqual([
      'missed',
      'false',
      'false',
      'false',
    ]);
  });
});

describe('proxied requests', () => {
  const [first, second] = result().proxied.routes;
  if (first === undefined || second === undefined) throw new Error('the example has two routes');

  test('counted wrongly', () => {
    const routes = [{ ...first, count: 3 }, second];
    const proxied = { total: 4, failed: 0, routes };
    expect(texts({ proxied })).toStrictEqual([
      'pairs: cp1 → cp2 get jobs.batch/v1 200: 4 expected, 3 found',
      'pairs: in total: 5 expected, 4 found',
    ]);
    expect(compare(expected, result({ proxied }), 'all').pairs).toStrictEqual({ right: 4, expected: 5 });
  });

  test.each([
    ['source', { source: 'cp3' }],
    ['destination', { destination: 'cp3' }],
    ['verb', { verb: 'list' }],
    ['resource', { resource: 'pods/v1' }],
    ['code', { code: 404 }],
    ['code', { code: null }],
  ])('of another %s', (_, change) => {
    const kinds = differences({ proxied: { total: 5, failed: 0, routes: [{ ...first, ...change }, second] } });
    expect(kinds.length).toBeGreaterThan(0);
    expect(kinds.every(({ kind }) => kind === 'pairs')).toBe(true);
  });

  test('may be spread over several rows of one route', () => {
    const routes = [{ ...first, count: 1 }, second, { ...first, count: 3 }];
    expect(differences({ proxied: { total: 5, failed: 0, routes } })).toStrictEqual([]);
  });
});

describe('discovery', () => {
  const [failing, ok] = result().discovery;
  if (failing === undefined || ok === undefined) throw new Error('the example has two cells');
  const missing = { ...failing, state: 'missing' as const };

  test('in another state, or without a cell', () => {
    expect(texts({ discovery: [missing, ok] })).toStrictEqual([
      'discovery: cp1 → cp2: failing expected, missing found',
    ]);
    expect(texts({ discovery: [failing] })).toStrictEqual(['discovery: cp2 → cp1: ok expected, no cell found']);
  });

  test('failing and missing look alike in audit logs; ok and unknown do not', () => {
    const kinds = (discovery: AnalysisResult['discovery']) =>
      compare(expected, result({ discovery }), 'audit').differences.filter(({ kind }) => kind === 'discovery');
    expect(kinds([missing, ok])).toStrictEqual([]);
    expect(kinds([{ ...failing, state: 'unknown' }, ok])).toHaveLength(1);
    expect(kinds([failing, { ...ok, state: 'missing' }])).toHaveLength(1);
  });
});

describe('servers', () => {
  const [cp1, cp2] = result().servers;
  if (cp1 === undefined || cp2 === undefined) throw new Error('the example has two servers');

  test('not found, or of other versions, order or addresses', () => {
    expect(texts({ servers: [cp1] })).toStrictEqual(['server: cp2: not found (servers found: cp1)']);
    expect(texts({ servers: [{ ...cp1, versions: [...cp1.versions].reverse() }, cp2] })).toStrictEqual([
      'server: cp1 versions: v1.35.4, v1.36.3 expected, v1.36.3, v1.35.4 found',
    ]);
    expect(texts({ servers: [cp1, { ...cp2, addresses: ['10.0.0.12', '10.0.0.13'] }] })).toStrictEqual([
      'server: cp2 addresses: 10.0.0.12 expected, 10.0.0.12, 10.0.0.13 found',
    ]);
  });

  test('may be more than expected', () => {
    expect(differences({ servers: [cp1, cp2, { ...cp2, name: 'cp3' }] })).toStrictEqual([]);
  });

  test('may lack their address, but not have a wrong one', () => {
    const kinds = (addresses: string[]) =>
      compare(expected, result({ servers: [cp1, { ...cp2, addresses }] }), 'audit').differences.filter(
        ({ kind }) => kind === 'server',
      );
    expect(kinds([])).toStrictEqual([]);
    expect(kinds(['10.0.0.11'])).toHaveLength(1);
    expect(texts({ servers: [cp1, { ...cp2, addresses: [] }] })).toStrictEqual([]);
    expect(texts({ servers: [cp1, { ...cp2, addresses: ['10.0.0.99'] }] })).toHaveLength(1);
  });
});
