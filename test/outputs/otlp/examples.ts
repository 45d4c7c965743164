/** Proxied requests, findings and analyses as outputs get them, made by hand. */
import type { Analysis, ServerSummary } from '../../../src/model/analysis.js';
import type { Finding } from '../../../src/model/finding.js';
import type { ProxiedRequest, RequestSide } from '../../../src/model/proxied-request.js';
import type { OutputBatch } from '../../../src/outputs/output.js';
import { finding as example } from '../../findings/examples.js';

/** 2026-01-02T03:04:05Z, in microseconds. */
export const T0 = 1_767_323_045_000_000;

export function side(server: string, fromUs: number, toUs: number | null, code: number | null): RequestSide {
  const doneUs = toUs === null ? null : T0 + toUs;
  return { server, receivedUs: T0 + fromUs, doneUs, code, input: `${server}-audit.log`, line: 7 };
}

/** A create of a Job through cp1 that cp2 answered: 10 ms at the source, 6 ms at the destination. */
export function request(changes: Partial<ProxiedRequest> = {}): ProxiedRequest {
  return {
    auditID: '5a7d2f0e-8c1b-4b0e-9a67-0c1d5d6f0001',
    cluster: 'default',
    verb: 'create',
    requestURI: '/apis/batch/v1/namespaces/team-a/jobs?fieldManager=kubectl',
    resource: 'jobs.batch/v1',
    namespace: 'team-a',
    name: 'nightly',
    userAgent: 'kubectl/v1.36.3 (linux/amd64) kubernetes/abc',
    sourceIPs: '198.51.100.7,10.0.0.5',
    source: side('cp1', 0, 10_000, 201),
    destination: side('cp2', 2_000, 8_000, 201),
    cause: null,
    skewUs: 0,
    ambiguous: false,
    ...changes,
  };
}

/** The same to nobody: the source could not verify the peer's certificate. */
export function failedRequest(changes: Partial<ProxiedRequest> = {}): ProxiedRequest {
  return request({
    auditID: '5a7d2f0e-8c1b-4b0e-9a67-0c1d5d6f0002',
    source: side('cp1', 0, 3_000, 503),
    destination: null,
    cause: 'unknown-authority',
    ...changes,
  });
}

export function server(name: string, changes: Partial<ServerSummary> = {}): ServerSummary {
  return {
    name,
    cluster: 'default',
    identity: `apiserver-${name}`,
    addresses: [`10.0.0.1${name.slice(-1)}`],
    peerAddress: `10.0.0.1${name.slice(-1)}:6443`,
    versions: [{ version: 'v1.36.3', from: T0 - 60_000_000, to: T0 + 600_000_000 }],
    peerProxy: 'active',
    knownBy: 'own lease renewals',
    starts: [],
    stops: [],
    ...changes,
  };
}

export function finding(changes: Partial<Finding> = {}): Finding {
  const evidence = { input: 'cp1-kube-apiserver.log', line: 12, offset: 900, quote: 'x509: certificate signed by …' };
  return example({ from: T0, to: T0 + 5_000_000, evidence: [evidence], ...changes });
}

export function analysis(changes: Partial<Analysis> = {}): Analysis {
  return {
    inputs: [],
    window: { from: T0, to: T0 + 60_000_000 },
    servers: [server('cp1'), server('cp2')],
    clusters: ['default'],
    proxied: { total: 0, failed: 0, routes: [] },
    discovery: [],
    notFound: [],
    findings: [],
    unjudged: [],
    ...changes,
  };
}

export function batch(changes: Partial<OutputBatch> = {}): OutputBatch {
  return { changes: [], findings: [], requests: [], analysis: analysis(), ...changes };
}
