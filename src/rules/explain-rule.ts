/** One rule as a page of text: what it reads, when it speaks, what it says, and how it is tested. */
import { CAPABILITIES, type Capability } from '../model/analysis.js';
import { OBSERVATION_TYPES } from '../model/observations/index.js';
import { formatDuration } from '../model/time.js';
import { judgeRule } from './judge.js';
import { listRules } from './list-rules.js';
import type { Choice, Rule, RuleSet } from './rule.js';
import { TEXTS } from './rule.js';
import { alternativesFor, fileError, RuleErrors } from './rule-error.js';

const OBSERVED = 'that of the surest observation: possible, likely or certain';

/** Plain text with a newline at its end. Throws RuleErrors, with the nearest ids, when there is no such rule. */
export function explainRule(ruleSet: RuleSet, id: string): string {
  const known = [...ruleSet.rules, ...ruleSet.disabled];
  const rule = known.find((candidate) => candidate.id === id);
  if (rule === undefined) {
    const ids = known.map((candidate) => candidate.id);
    throw new RuleErrors([fileError('rules explain', `no rule "${id}"`, alternativesFor(id, ids))]);
  }
  const notes = listRules(ruleSet).find((entry) => entry.id === id)?.notes ?? [];
  const sections = [
    [`${rule.id}: ${rule.title}`, '', `file      ${rule.file}`, ...notes.map((note) => `note      ${note}`)],
    section('Severity', choiceLines(rule.severity)),
    section(
      'Confidence',
      choiceLines(rule.confidence).map((line) => line.replace(/^observed\b/, OBSERVED)),
    ),
    section('Reads', rule.consumes.flatMap(observationLines)),
    section('Speaks when', conditionLines(rule)),
    section(
      'Needs to see',
      rule.needs.map(
        (anyOf) => `${anyOf.join(' or ')} (else unjudged: ${anyOf.map((need) => CAPABILITIES[need]).join('; ')})`,
      ),
    ),
    ...textSections(rule),
    section('References', rule.references),
    section(
      'Tests',
      rule.tests.map((test) => `${test.expect.length > 0 ? 'finds    ' : 'is silent'}  ${test.name}`),
    ),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [heading, ...lines.map((line) => (line === '' ? '' : `  ${line}`))];
}

/** As its first finding in a test reads: templates say little to who does not know them. */
function textSections(rule: Rule): string[][] {
  for (const { name, observations, expect, capabilities } of rule.tests) {
    if (expect.length === 0) continue;
    const known = new Set(capabilities ?? (Object.keys(CAPABILITIES) as Capability[]));
    const [finding] = judgeRule(rule, { observations, capabilities: known }).findings;
    if (finding === undefined) continue;
    const texts = TEXTS.map((text) => section(title(text), finding[text].split('\n')));
    return [[`Texts, as of the test “${name}”; the templates are in the file`], ...texts];
  }
  return TEXTS.map((name) => section(title(name), rule.texts[name].text.split('\n')));
}

function choiceLines<T>(choice: Choice<T>): string[] {
  const branches = choice.branches.map(({ when, value }) => `${value} when ${when.text}`);
  return [...branches, branches.length > 0 ? `${choice.fallback} otherwise` : String(choice.fallback)];
}

function observationLines(type: string): string[] {
  const definition = OBSERVATION_TYPES.get(type);
  if (definition === undefined) return [type];
  const { evidence: _, ...example } = definition.example as Record<string, unknown>;
  return [`${type}: ${definition.meaning}`, `example: ${JSON.stringify(example)}`];
}

function conditionLines(rule: Rule): string[] {
  const lines = rule.when === undefined ? [] : [rule.when.text];
  lines.push(`one finding for each ${['cluster', ...rule.group.map(({ text }) => text)].join(', ')}`);
  if (rule.threshold.count > 1) lines.push(`counted at least ${rule.threshold.count} times`);
  if (rule.threshold.lasting > 0) lines.push(`lasting at least ${formatDuration(rule.threshold.lasting)}`);
  if (rule.window !== null) lines.push(`within the last ${formatDuration(rule.window)}`);
  return lines;
}

function title(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
