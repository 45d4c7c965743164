/** Findings on their way out: every text and list bounded, no half characters. */
import { type Finding, SEVERITIES } from '../../model/finding.js';

const MAX_NAME = 300;
const MAX_SUMMARY = 600;
const MAX_PROSE = 2_000;
const MAX_QUOTE = 500;
const MAX_LIST = 50;
const MAX_EVIDENCE = 3;

/** At most about 100 KiB of text, whatever came in; an ordinary finding stays as it is. */
export function boundFinding(finding: Finding): Finding {
  const name = (text: string) => cut(text, MAX_NAME);
  return {
    rule: name(finding.rule),
    title: cut(finding.title, MAX_SUMMARY),
    fingerprint: name(finding.fingerprint),
    severity: SEVERITIES.includes(finding.severity) ? finding.severity : 'warning',
    confidence: finding.confidence,
    cluster: name(finding.cluster),
    server: finding.server === null ? null : name(finding.server),
    edges: finding.edges
      .slice(0, MAX_LIST)
      .map(({ source, destination }) => ({ source: name(source), destination: name(destination) })),
    resource: finding.resource === null ? null : name(finding.resource),
    objects: finding.objects.slice(0, MAX_LIST).map((object) => ({
      resource: name(object.resource),
      namespace: name(object.namespace),
      name: name(object.name),
    })),
    from: finiteTime(finding.from),
    to: finiteTime(finding.to),
    count: Number.isFinite(finding.count) ? finding.count : 0,
    summary: cut(finding.summary, MAX_SUMMARY),
    meaning: cut(finding.meaning, MAX_PROSE),
    cause: cut(finding.cause, MAX_PROSE),
    fix: cut(finding.fix, MAX_PROSE),
    verify: cut(finding.verify, MAX_PROSE),
    references: finding.references.slice(0, 10).map((text) => cut(text, MAX_SUMMARY)),
    evidence: finding.evidence.slice(0, MAX_EVIDENCE).map(({ kind, input, line, offset, quote }) => ({
      ...(kind === undefined ? {} : { kind }),
      input: name(input),
      line: Number.isFinite(line) ? line : 0,
      offset: Number.isFinite(offset) ? offset : 0,
      quote: cut(quote, MAX_QUOTE),
    })),
  };
}

/** What tells which finding it was: some hundred bytes, for its end is told without its evidence. */
export function sketchOf(finding: Finding): Finding {
  const { edges, objects, ...rest } = boundFinding(finding);
  return {
    ...rest,
    edges: edges.slice(0, MAX_SKETCHED),
    objects: objects.slice(0, MAX_SKETCHED),
    summary: cut(rest.summary, MAX_NAME),
    meaning: '',
    cause: '',
    fix: '',
    verify: '',
    references: [],
    evidence: [],
  };
}

const MAX_SKETCHED = 3;

/** At most `limit` UTF-16 units, ended by `…` when cut; lone surrogates, which many receivers refuse, become U+FFFD. */
export function cut(text: string, limit: number): string {
  const head = text.length > limit ? text.slice(0, limit - 1) : text;
  // A pair that the cut has split loses its first half too.
  const whole = head.length < text.length ? head.replace(/[\ud800-\udbff]$/, '') : head;
  return `${whole.replace(/\p{Surrogate}/gu, '\ufffd')}${head.length < text.length ? '…' : ''}`;
}

/** Latest time that a Date can hold, in microseconds. */
const MAX_TIME_US = 8.64e18;

/** Microseconds that a Date can hold; 0, which is no time, for all else. */
export function finiteTime(us: number): number {
  return Number.isFinite(us) && Math.abs(us) <= MAX_TIME_US ? us : 0;
}
