/** A small hand-made Analysis: cp1 distrusts its peers, one client was told 404, one finding is only possible. */
import type { Analysis } from '../../src/model/analysis.js';
import type { Finding } from '../../src/model/finding.js';
import { finding as example } from '../findings/examples.js';

const START = Date.UTC(2026, 0, 2, 11, 20) * 1000;
const SECOND = 1_000_000;

export function finding(fields: Partial<Finding>): Finding {
  const when = { from: START + 60 * SECOND, to: START + 480 * SECOND, count: 36 };
  const texts = { summary: 'Something is wrong', meaning: '', cause: '', fix: '', verify: '' };
  return example({ edges: [], ...when, ...texts, ...fields });
}

export function analysis(fields: Partial<Analysis> = {}): Analysis {
  const names = ['cp1', 'cp2'];
  return {
    inputs: [
      { name: 'logs/cp1-audit.log', kind: 'file', bytes: 1_048_576, records: 2100, server: 'cp1', problems: {} },
      {
        name: 'logs/cp2-audit.log',
        kind: 'file',
        bytes: 524_288,
        records: 900,
        server: 'cp2',
        problems: { 'not-json': 2, 'cut-line': 1 },
      },
    ],
    window: { from: START, to: START + 600 * SECOND },
    servers: names.map((name, at) => ({
      name,
      cluster: 'default',
      identity: null,
      addresses: [`10.0.0.${11 + at}`],
      peerAddress: `10.0.0.${11 + at}:6443`,
      versions: [{ version: 'v1.36.3', from: START, to: START + 600 * SECOND }],
      peerProxy: 'active',
      knownBy: 'file name',
      starts: [START + at * SECOND],
      stops: [],
    })),
    clusters: ['default'],
    proxied: {
      total: 11,
      failed: 2,
      routes: [
        {
          source: 'cp2',
          destination: 'cp1',
          verb: 'list',
          resource: 'jobs.batch/v1',
          code: 200,
          count: 11,
          hopMs: { p50: 2.25, p99: 11.4, max: 12 },
        },
      ],
    },
    discovery: [
      {
        source: 'cp2',
        destination: 'cp1',
        state: 'ok',
        fetches: 4,
        failures: 0,
        lastAt: START + 480 * SECOND,
        cause: null,
      },
      {
        source: 'cp1',
        destination: 'cp2',
        state: 'failing',
        fetches: 0,
        failures: 36,
        lastAt: START + 480 * SECOND,
        cause: 'unknown-authority',
      },
    ],
    notFound: [
      { server: 'cp1', resource: 'pods/v1', kind: 'object', count: 1234, clients: [] },
      { server: 'cp1', resource: 'jobs.batch/v1', kind: 'wrong', count: 23, clients: ['kubectl/v1.36.0', 'curl/8.0'] },
    ],
    findings: [
      finding({
        rule: 'discovery-edge-missing',
        title: 'A server knows nothing of the APIs of a peer',
        severity: 'warning',
        confidence: 'possible',
        server: null,
        edges: [{ source: 'cp1', destination: 'cp2' }],
        summary: 'cp1 never learnt the APIs of cp2',
      }),
      finding({
        rule: 'wrong-not-found',
        title: '404 for a resource that a live peer serves',
        count: 23,
        resource: 'jobs.batch/v1',
        summary: 'cp1 answered 404 for jobs.batch/v1, which cp2 serves',
        fix: 'Mend the cause named above.',
      }),
      finding({
        edges: [{ source: 'cp1', destination: 'cp2' }],
        summary: 'cp1 does not trust the serving certificate of cp2',
        meaning: 'It can pass nothing on to cp2.',
        cause: 'The file of --peer-ca-file on cp1 lacks the CA that signed the certificate of cp2.',
        fix: 'On cp1, add that CA to the file of --peer-ca-file and restart kube-apiserver.',
        verify: 'No x509 error follows the next "Proxying request" line of cp1.',
        evidence: [
          {
            input: 'logs/cp1-kube-apiserver.log',
            line: 217,
            offset: 4000,
            quote:
              'E0102 11:21:00.000000 1 peerproxy_handler.go:1] "Error while proxying" err="x509: unknown authority"\n\u001b[31m',
          },
        ],
      }),
      finding({
        rule: 'mixed-version-window',
        title: 'Versions differed',
        severity: 'info',
        server: null,
        summary: 'v1.35.4 and v1.36.3 ran side by side',
      }),
    ],
    unjudged: [
      { rule: 'gate-off', reason: 'no FLAG lines' },
      { rule: 'advertise-half-set', reason: 'no FLAG lines' },
    ],
    ...fields,
  };
}
