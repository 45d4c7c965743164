/** Compares the result of an analysis with what is known of the recorded run. Pure. */
import type { AnalysisResult } from '../report/result-schema.js';
import { compareDiscovery, comparePairs, compareServers } from './compare-facts.js';
import { compareFindings } from './compare-findings.js';
import type { Expected, Mode } from './expected.js';

export interface Difference {
  readonly kind: 'missed' | 'false' | 'pairs' | 'discovery' | 'server';
  /** One line for people: what was expected, what was found. */
  readonly text: string;
}

export interface Score {
  readonly right: number;
  readonly expected: number;
}

export interface Differences {
  readonly findings: Score;
  readonly pairs: Score;
  readonly discovery: Score;
  readonly servers: Score;
  /** Empty when the result says what it must and nothing that it must not. */
  readonly differences: readonly Difference[];
}

/** `mode` says what the analysis was given: from audit logs alone less can be known, and less is asked. */
export function compare(expected: Expected, result: AnalysisResult, mode: Mode): Differences {
  const findings = compareFindings(mode === 'all' ? expected.findings : expected.auditOnly, result.findings);
  const pairs = comparePairs(expected.proxied, result.proxied);
  const discovery = compareDiscovery(expected.discovery ?? [], result.discovery, mode);
  const servers = compareServers(expected.servers, result.servers, mode);
  return {
    findings: findings.score,
    pairs: pairs.score,
    discovery: discovery.score,
    servers: servers.score,
    differences: [findings, pairs, discovery, servers].flatMap((part) => part.differences),
  };
}
