/** One finding as an example, for all tests that need any: cp1 does not trust the certificate of cp2. */
import type { Finding } from '../../src/model/finding.js';

/** From 2026-01-05T03:04:05Z, for a second. */
const FROM_US = Date.UTC(2026, 0, 5, 3, 4, 5) * 1_000;

export function finding(changes: Partial<Finding> = {}): Finding {
  return {
    rule: 'peer-ca-untrusted',
    title: 'A server does not trust the certificates of its peers',
    fingerprint: '0123456789abcdef',
    severity: 'critical',
    confidence: 'certain',
    cluster: 'default',
    server: 'cp1',
    edges: [{ source: 'cp1', destination: 'cp2' }],
    resource: null,
    objects: [],
    from: FROM_US,
    to: FROM_US + 1_000_000,
    count: 3,
    summary: 'cp1 does not trust the serving certificate of cp2',
    meaning: 'Requests for APIs that only cp2 serves end in 503.',
    cause: '--peer-ca-file of cp1 does not hold the CA of cp2',
    fix: 'Put the CA that issued the serving certificate of cp2 into --peer-ca-file of cp1.',
    verify: 'kubectl get --raw /readyz',
    references: [],
    evidence: [],
    ...changes,
  };
}
