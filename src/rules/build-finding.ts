/** One group of observations becomes one finding: its subject, its weight, and its texts. */
import { createHash } from 'node:crypto';
import { CONFIDENCES, type Confidence, type Edge, type Finding, type HarmedObject } from '../model/finding.js';
import type { Evidence } from '../model/origin.js';
import { canonicalJson, compareText, union } from './canonical.js';
import type { Group, Member, Trace } from './group.js';
import type { Choice, Rule, Scope } from './rule.js';
import { cleanText } from './sanitize.js';
import type { ServerUrls } from './server-urls.js';
import { textReader } from './values.js';

const MAX_EVIDENCE = 5;

/** Throws when an expression of the rule cannot be evaluated on these observations. */
export function buildFinding(rule: Rule, group: Group, urls: ServerUrls, trace: Trace): Finding {
  const observations = group.members.map(({ observation }) => observation);
  const facts = {
    cluster: group.cluster,
    server: agreed(rule.server, group.members),
    resource: rule.resource === undefined ? null : agreed(rule.resource, group.members),
    edges: union(
      observations.flatMap((observation): readonly Edge[] => observation.edges),
      (a, b) => compareText(a.source, b.source) || compareText(a.destination, b.destination),
    ),
    objects: union(
      observations.flatMap((observation): readonly HarmedObject[] =>
        'objects' in observation ? observation.objects : [],
      ),
      (a, b) =>
        compareText(a.resource, b.resource) || compareText(a.namespace, b.namespace) || compareText(a.name, b.name),
    ),
    count: observations.reduce((sum, observation) => sum + observation.count, 0),
    from: observations.reduce((first, { from }) => Math.min(first, from), Number.POSITIVE_INFINITY),
    to: observations.reduce((last, { to }) => Math.max(last, to), Number.NEGATIVE_INFINITY),
  };
  const values = group.members.map(({ value }) => value);
  const decide = { ...numbers(facts), o: values[0], all: values };
  const confidence = choose(rule.confidence, decide, 'confidence', trace);
  const scope = { ...textScope(rule, group.members, facts), urls };
  return {
    rule: rule.id,
    title: rule.title,
    fingerprint: fingerprint(group.cluster, rule.id, group.subject),
    severity: choose(rule.severity, decide, 'severity', trace),
    confidence: confidence === 'observed' ? highest(group.members) : confidence,
    ...facts,
    summary: rule.texts.summary.render(scope),
    meaning: rule.texts.meaning.render(scope),
    cause: rule.texts.cause.render(scope),
    fix: rule.texts.fix.render(scope),
    verify: rule.texts.verify.render(scope),
    references: rule.references,
    evidence: firstEvidence(observations.flatMap((observation): readonly Evidence[] => observation.evidence)),
  };
}

/** 16 hex digits over cluster, rule and subject: the same problem has the same fingerprint in every run. */
export function fingerprint(cluster: string, rule: string, subject: readonly unknown[]): string {
  return createHash('sha256')
    .update(canonicalJson([cluster, rule, ...subject]))
    .digest('hex')
    .slice(0, 16);
}

/** The value that all members give; null when they differ, for then the finding is not about one. */
function agreed(expression: Rule['server'], members: readonly Member[]): string | null {
  const values = new Set(members.map(({ value }) => expression.evaluate({ o: value })));
  const [only] = values;
  return values.size === 1 && only !== null && only !== undefined ? String(only) : null;
}

function choose<T extends string>(choice: Choice<T>, scope: Scope, name: string, trace: Trace): T {
  for (const [at, { when, value }] of choice.branches.entries()) {
    if (when.evaluate(scope) !== true) continue;
    trace(`${name} ${at + 1}: ${value}`);
    return value;
  }
  trace(`${name} default: ${choice.fallback}`);
  return choice.fallback;
}

function highest(members: readonly Member[]): Confidence {
  const found = new Set(members.map(({ observation }) => observation.certainty));
  return [...CONFIDENCES].reverse().find((confidence) => found.has(confidence)) ?? 'possible';
}

function textScope(rule: Rule, members: readonly Member[], facts: Facts): Scope {
  const read = textReader(rule.fields);
  const all = members.map(({ observation }) => read(observation));
  const edges = facts.edges.map(({ source, destination }) => ({
    source: cleanText(source),
    destination: cleanText(destination),
  }));
  const objects = facts.objects.map(({ resource, namespace, name }) => ({
    resource: cleanText(resource),
    namespace: cleanText(namespace),
    name: cleanText(name),
  }));
  const server = facts.server === null ? null : cleanText(facts.server);
  const resource = facts.resource === null ? null : cleanText(facts.resource);
  return { ...numbers(facts), cluster: cleanText(facts.cluster), server, resource, edges, objects, o: all[0], all };
}

interface Facts {
  readonly cluster: string;
  readonly server: string | null;
  readonly resource: string | null;
  readonly edges: readonly Edge[];
  readonly objects: readonly HarmedObject[];
  readonly count: number;
  readonly from: number;
  readonly to: number;
}

function numbers(facts: Facts): Record<string, unknown> {
  return { ...facts, count: BigInt(facts.count), from: BigInt(facts.from), to: BigInt(facts.to) };
}

function firstEvidence(evidence: readonly Evidence[]): Evidence[] {
  return union(
    evidence,
    (a, b) => compareText(a.input, b.input) || a.line - b.line || a.offset - b.offset || compareText(a.quote, b.quote),
  ).slice(0, MAX_EVIDENCE);
}
