/** Checked rules in a form that JSON can hold, and back: what the package brings along, so that no run checks it again. */
import type { Confidence, Severity } from '../model/finding.js';
import { lazyExpression } from './lazy-expression.js';
import { type Choice, type Rule, type RuleTest, TEXTS, type TextName } from './rule.js';
import { lazyTemplate } from './template.js';

export interface PackedRule
  extends Omit<Rule, 'severity' | 'when' | 'group' | 'confidence' | 'server' | 'resource' | 'texts' | 'tests'> {
  readonly severity: PackedChoice<Severity>;
  readonly when: string | null;
  readonly group: readonly string[];
  readonly confidence: PackedChoice<Confidence | 'observed'>;
  readonly server: string;
  readonly resource: string | null;
  readonly texts: Readonly<Record<TextName, string>>;
  readonly tests: readonly PackedTest[];
}

interface PackedChoice<T> {
  readonly branches: readonly { readonly when: string; readonly value: T }[];
  readonly fallback: T;
}

/** JSON leaves out what is undefined. */
type PackedTest = Omit<RuleTest, 'capabilities' | 'unjudged'> & Partial<Pick<RuleTest, 'capabilities' | 'unjudged'>>;

/** The texts of a rule's expressions in place of the expressions. */
export function packRule(rule: Rule): PackedRule {
  return {
    ...rule,
    severity: packChoice(rule.severity),
    when: rule.when?.text ?? null,
    group: rule.group.map(({ text }) => text),
    confidence: packChoice(rule.confidence),
    server: rule.server.text,
    resource: rule.resource?.text ?? null,
    texts: eachText((name) => rule.texts[name].text),
  };
}

/** The rule again. Nothing is checked: `packed` must come from a rule that was. */
export function unpackRule(packed: PackedRule): Rule {
  return {
    ...packed,
    severity: unpackChoice(packed.severity),
    when: packed.when === null ? undefined : lazyExpression(packed.when),
    group: packed.group.map(lazyExpression),
    confidence: unpackChoice(packed.confidence),
    server: lazyExpression(packed.server),
    resource: packed.resource === null ? undefined : lazyExpression(packed.resource),
    texts: eachText((name) => lazyTemplate(packed.texts[name])),
    tests: packed.tests.map((test) => ({ capabilities: undefined, unjudged: undefined, ...test })),
  };
}

function packChoice<T>({ branches, fallback }: Choice<T>): PackedChoice<T> {
  return { branches: branches.map(({ when, value }) => ({ when: when.text, value })), fallback };
}

function unpackChoice<T>({ branches, fallback }: PackedChoice<T>): Choice<T> {
  return { branches: branches.map(({ when, value }) => ({ when: lazyExpression(when), value })), fallback };
}

function eachText<T>(of: (name: TextName) => T): Record<TextName, T> {
  const entries = TEXTS.map((name) => [name, of(name)] as const);
  return Object.fromEntries(entries) as Record<TextName, T>;
}
