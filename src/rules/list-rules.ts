/** All rules in short, as `rules list` shows them. */
import { compareText } from './canonical.js';
import type { Rule, RuleSet } from './rule.js';

export interface RuleListEntry {
  readonly id: string;
  readonly title: string;
  /** The severities it can have, the gravest first: `critical, warning`. */
  readonly severity: string;
  readonly consumes: readonly string[];
  readonly file: string;
  readonly origin: 'shipped' | 'user';
  readonly state: 'on' | 'off';
  /** What configuration or other files did to it: `replaces rules/x.yaml`, `severity set by configuration`. */
  readonly notes: readonly string[];
}

/** In the order of their ids. */
export function listRules(ruleSet: RuleSet): RuleListEntry[] {
  const entries = [
    ...ruleSet.rules.map((rule) => entry(rule, 'on', ruleSet)),
    ...ruleSet.disabled.map((rule) => entry(rule, 'off', ruleSet)),
  ];
  return entries.sort((a, b) => compareText(a.id, b.id));
}

/** `critical, warning`: every severity that a rule can give. */
export function severitiesOf(rule: Rule): string {
  const values = new Set([...rule.severity.branches.map(({ value }) => value), rule.severity.fallback]);
  return (['critical', 'warning', 'info'] as const).filter((severity) => values.has(severity)).join(', ');
}

function entry(rule: Rule, state: 'on' | 'off', ruleSet: RuleSet): RuleListEntry {
  const notes = ruleSet.replaced
    .filter(({ id, by }) => id === rule.id && by === rule.file)
    .map(({ file }) => `replaces ${file}`);
  if (ruleSet.severities[rule.id] !== undefined) notes.push('severity set by configuration');
  if (state === 'off') notes.push('switched off by configuration');
  return {
    id: rule.id,
    title: rule.title,
    severity: severitiesOf(rule),
    consumes: rule.consumes,
    file: rule.file,
    origin: rule.shipped ? 'shipped' : 'user',
    state,
    notes,
  };
}
