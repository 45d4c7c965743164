/** A finding: one named thing that is wrong, whom it is about, what it did, and how to mend it. */
import type { Evidence } from './origin.js';

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const CONFIDENCES = ['possible', 'likely', 'certain'] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** A peer call's direction: the source apiserver passes the request on to the destination. */
export interface Edge {
  readonly source: string;
  readonly destination: string;
}

/** An object that was harmed; resource as in `configmaps/v1`. */
export interface HarmedObject {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface Finding {
  readonly rule: string;
  readonly title: string;
  /** Depends on cluster, rule and subject only: 16 hex digits. */
  readonly fingerprint: string;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly cluster: string;
  /** Whom it is about and where the fix goes; null if not one server. */
  readonly server: string | null;
  readonly edges: readonly Edge[];
  readonly resource: string | null;
  readonly objects: readonly HarmedObject[];
  /** Microseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly summary: string;
  readonly meaning: string;
  readonly cause: string;
  readonly fix: string;
  readonly verify: string;
  readonly references: readonly string[];
  readonly evidence: readonly Evidence[];
}

/** A rule that the input could not decide, and why. */
export interface Unjudged {
  /** Absent where it is so in all clusters. */
  readonly cluster?: string;
  readonly rule: string;
  readonly reason: string;
}
