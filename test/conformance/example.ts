/** A hand-made run and the result that matches it. */
import type { Expected } from '../../src/conformance/expected.js';
import type { AnalysisResult, ResultFinding } from '../../src/report/result-schema.js';

const from = '2026-01-02T11:20:00.000000Z';
const to = '2026-01-02T11:30:00.000000Z';

export const expected: Expected = {
  about: 'cp1 distrusts cp2',
  servers: {
    cp1: { versions: ['v1.35.4', 'v1.36.3'], addresses: ['10.0.0.11'] },
    cp2: { versions: ['v1.36.3'], addresses: ['10.0.0.12'] },
  },
  proxied: {
    total: 5,
    routes: [
      { source: 'cp1', destination: 'cp2', verb: 'get', resource: 'jobs.batch/v1', code: 200, count: 4 },
      { source: 'cp1', destination: 'cp2', verb: 'watch', resource: 'jobs.batch/v1', code: null, count: 1 },
    ],
  },
  findings: {
    required: [
      { rule: 'peer-ca-untrusted', server: 'cp1', edge: ['cp1', 'cp2'] },
      { rule: ['wrong-not-found', 'feature-inactive'], resource: 'jobs.batch/v1' },
      {
        rule: 'gc-after-wrong-not-found',
        objects: [['configmaps/v1', 'shop', 'a']],
        notObjects: [['configmaps/v1', 'shop', 'z']],
      },
    ],
    allowed: ['discovery-edge-missing'],
  },
  auditOnly: { required: [{ rule: 'discovery-edge-missing', edge: ['cp1', 'cp2'] }], allowed: [] },
  discovery: [
    { source: 'cp1', destination: 'cp2', state: 'failing' },
    { source: 'cp2', destination: 'cp1', state: 'ok' },
  ],
};

export function finding(fields: Partial<ResultFinding>): ResultFinding {
  return {
    rule: 'peer-ca-untrusted',
    title: '',
    fingerprint: '0',
    severity: 'critical',
    confidence: 'certain',
    server: null,
    edges: [],
    resource: null,
    objects: [],
    from,
    to,
    count: 1,
    summary: '',
    meaning: '',
    cause: '',
    fix: '',
    verify: '',
    references: [],
    evidence: [],
    ...fields,
  };
}

export const untrusted = finding({
  server: 'cp1',
  edges: [
    { source: 'cp1', destination: 'cp3' },
    { source: 'cp1', destination: 'cp2' },
  ],
});
export const wrongNotFound = finding({ rule: 'wrong-not-found', server: 'cp1', resource: 'jobs.batch/v1' });
export const collected = finding({
  rule: 'gc-after-wrong-not-found',
  objects: ['a', 'b'].map((name) => ({ resource: 'configmaps/v1', namespace: 'shop', name })),
});

export function result(fields: Partial<AnalysisResult> = {}): AnalysisResult {
  const version = (name: string) => ({ version: name, from, to });
  const server = { identity: null, peerAddress: null, peerProxy: 'active' as const };
  const cell = { fetches: 1, failures: 0, lastAt: to, cause: null };
  const hop = { hopMs: null };
  return {
    schema: 'skewscope.analysis/v1',
    inputs: [],
    window: { from, to },
    servers: [
      { ...server, name: 'cp1', addresses: ['10.0.0.11'], versions: [version('v1.35.4'), version('v1.36.3')] },
      { ...server, name: 'cp2', addresses: ['10.0.0.12'], versions: [version('v1.36.3'), version('v1.36.3')] },
    ],
    clusters: [{ name: 'default' }],
    proxied: { total: 5, failed: 0, routes: expected.proxied.routes.map((route) => ({ ...route, ...hop })) },
    discovery: [
      { ...cell, source: 'cp1', destination: 'cp2', state: 'failing' },
      { ...cell, source: 'cp2', destination: 'cp1', state: 'ok' },
    ],
    notFound: [],
    findings: [untrusted, wrongNotFound, collected],
    unjudged: [],
    ...fields,
  };
}
