/** A rule as the engine holds it: checked, compiled, and still knowing where it was written. */
import type { Capability } from '../model/analysis.js';
import type { Confidence, Finding, Severity } from '../model/finding.js';
import type { Observation } from '../model/observations/index.js';
import type { FieldsByType } from './value-shape.js';

/** What an expression sees. Whole numbers are BigInt and other numbers double, as CEL has it. */
export type Scope = Readonly<Record<string, unknown>>;

export interface Expression {
  readonly text: string;
  /** Throws an Error that names the expression when it cannot be evaluated on these values. */
  evaluate(scope: Scope): unknown;
}

export interface Template {
  readonly text: string;
  render(scope: Scope): string;
}

/** A value that depends on conditions: the first branch whose condition holds, else the fallback. */
export interface Choice<T> {
  readonly branches: readonly { readonly when: Expression; readonly value: T }[];
  readonly fallback: T;
}

export const TEXTS = ['summary', 'meaning', 'cause', 'fix', 'verify'] as const;
export type TextName = (typeof TEXTS)[number];

/** Part of a finding that a test expects: texts need only contain the words, everything else must be equal. */
export type ExpectedFinding = Partial<
  Pick<
    Finding,
    'severity' | 'confidence' | 'server' | 'resource' | 'count' | 'cluster' | 'edges' | 'objects' | TextName
  >
>;

export interface RuleTest {
  readonly name: string;
  readonly line: number;
  readonly observations: readonly Observation[];
  /** undefined: everything can be seen. */
  readonly capabilities: readonly Capability[] | undefined;
  /** Empty: no finding is expected (a negative test). */
  readonly expect: readonly ExpectedFinding[];
  readonly unjudged: boolean | undefined;
}

export interface Rule {
  readonly id: string;
  readonly title: string;
  readonly file: string;
  readonly shipped: boolean;
  readonly severity: Choice<Severity>;
  readonly consumes: readonly string[];
  /** Of the observation types that it consumes. */
  readonly fields: FieldsByType;
  readonly when: Expression | undefined;
  /** The subject of a finding, beside the cluster. */
  readonly group: readonly Expression[];
  /** `lasting` in microseconds. */
  readonly threshold: { readonly count: number; readonly lasting: number };
  /** Microseconds; null: all observations count. */
  readonly window: number | null;
  /** `observed`: the highest certainty among the group's observations. */
  readonly confidence: Choice<Confidence | 'observed'>;
  /** All must be met; one is met when any of its capabilities is there. */
  readonly needs: readonly (readonly Capability[])[];
  readonly server: Expression;
  readonly resource: Expression | undefined;
  readonly texts: Readonly<Record<TextName, Template>>;
  readonly references: readonly string[];
  readonly tests: readonly RuleTest[];
}

export interface RuleSet {
  /** In the order of their ids. */
  readonly rules: readonly Rule[];
  /** Loaded but switched off by configuration. */
  readonly disabled: readonly Rule[];
  /** Rules whose place another file with the same id took. */
  readonly replaced: readonly { readonly id: string; readonly file: string; readonly by: string }[];
  /** Severities that configuration fixed, by rule id. */
  readonly severities: Readonly<Record<string, Severity>>;
}
