/** Notices as sinks are given them. */
import type { Finding } from '../../../src/model/finding.js';
import { boundFinding } from '../../../src/outputs/delivery/bound.js';
import type { Notice } from '../../../src/outputs/delivery/notice.js';
import { finding } from '../delivery/examples.js';

export const NOW = Date.UTC(2026, 0, 5, 12);

export function notice(over: Partial<Notice> = {}, findings: readonly Finding[] = [finding()]): Notice {
  return {
    key: findings[0]?.fingerprint ?? '',
    counter: 1,
    kind: 'opened',
    scope: 'finding',
    cluster: findings[0]?.cluster ?? '',
    atMs: NOW,
    findings: findings.map(boundFinding),
    total: findings.length,
    told: [],
    ...over,
  };
}

export function storm(findings: readonly Finding[], total: number): Notice {
  return notice({ key: 'storm00000000000', scope: 'storm', total, limit: 20 }, findings);
}
