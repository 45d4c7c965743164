/** Findings against a run's `required` and `allowed`: which are missed, which are false. */
import type { ResultFinding } from '../report/result-schema.js';
import type { Difference, Score } from './compare.js';
import { type Expected, isAssertion, type Required } from './expected.js';

/**
 * Each required entry must be matched by some finding, of whatever severity. A finding at warning or critical with
 * confidence likely or certain is false unless it matches a required entry or its rule is allowed: being of a required
 * rule alone is not enough, else the right rule about the wrong server would pass. Only the resource may be another: a
 * server that lacks one API for want of its peers lacks others too, and whether a client asks for them is chance.
 */
export function compareFindings(
  judgement: Expected['findings'],
  findings: readonly ResultFinding[],
): { score: Score; differences: Difference[] } {
  const missed = judgement.required.filter((entry) => !findings.some((finding) => matches(entry, finding)));
  const wrong = findings.filter(
    (finding) =>
      isAssertion(finding) &&
      !judgement.allowed.includes(finding.rule) &&
      !judgement.required.some((entry) => matches({ ...entry, resource: undefined }, finding)),
  );
  return {
    score: { right: judgement.required.length - missed.length, expected: judgement.required.length },
    differences: [
      ...missed.map((entry) => ({ kind: 'missed' as const, text: `${describe(entry)}${nearest(entry, findings)}` })),
      ...wrong.map((finding) => ({ kind: 'false' as const, text: describeFinding(finding) })),
    ],
  };
}

function matches(entry: Required, finding: ResultFinding): boolean {
  const objects = new Set(finding.objects.map((o) => key([o.resource, o.namespace, o.name])));
  return (
    rulesOf(entry).includes(finding.rule) &&
    (entry.server === undefined || entry.server === finding.server) &&
    (entry.resource === undefined || entry.resource === finding.resource) &&
    (entry.edge === undefined ||
      finding.edges.some(({ source, destination }) => key([source, destination]) === key(entry.edge ?? []))) &&
    (entry.objects ?? []).every((object) => objects.has(key(object))) &&
    !(entry.notObjects ?? []).some((object) => objects.has(key(object)))
  );
}

function rulesOf(entry: Required): readonly string[] {
  return typeof entry.rule === 'string' ? [entry.rule] : entry.rule;
}

function key(parts: readonly string[]): string {
  return JSON.stringify(parts);
}

function describe(entry: Required): string {
  const parts = [
    rulesOf(entry).join(' or '),
    entry.server === undefined ? '' : `server ${entry.server}`,
    entry.edge === undefined ? '' : `edge ${entry.edge.join(' → ')}`,
    entry.resource ?? '',
    entry.objects === undefined ? '' : `objects ${entry.objects.map((o) => o.join(' ')).join(', ')}`,
    entry.notObjects === undefined ? '' : `without ${entry.notObjects.map((o) => o.join(' ')).join(', ')}`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}

function nearest(entry: Required, findings: readonly ResultFinding[]): string {
  const same = findings.filter(({ rule }) => rulesOf(entry).includes(rule));
  if (same.length === 0) return ' (no finding of that rule)';
  return ` (of that rule: ${same.map(describeFinding).join(' | ')})`;
}

function describeFinding(finding: ResultFinding): string {
  const parts = [
    `${finding.rule} (${finding.severity}, ${finding.confidence})`,
    finding.server === null ? '' : `server ${finding.server}`,
    finding.edges.map(({ source, destination }) => `${source} → ${destination}`).join(', '),
    finding.resource ?? '',
    finding.objects.map((o) => `${o.resource} ${o.namespace} ${o.name}`).join(', '),
  ];
  return parts.filter((part) => part !== '').join('; ');
}
