/** The first lines of the summary: what is wrong, how bad, whom it hit, and what was looked at. */
import type { Analysis } from '../../model/analysis.js';
import type { Finding } from '../../model/finding.js';
import { calm } from './calm.js';
import { escapeProse, escapeText } from './escape.js';
import { enumerate, groupDigits, type Page, plural } from './page.js';
import { wrap } from './wrap.js';

/** `findings` are those at warning or above, in report order. */
export function renderVerdict(page: Page, analysis: Analysis, findings: readonly Finding[]): string[] {
  const [first] = findings;
  const { headline, paint, rest } = first === undefined ? calm(page, analysis) : alarm(page, analysis, findings, first);
  return [
    ...wrap(headline, page.width).map(paint),
    ...wrap(rest.join(' '), page.width),
    ...wrap(lookedAt(page, analysis), page.width).map(page.dim),
  ];
}

/** A finding's summary as a sentence; one that is only possible says so, by `caution` before it. */
export function statement(finding: Finding, caution = 'This may be so, the records do not prove it: '): string {
  const summary = escapeProse(finding.summary || finding.title);
  const sentence = /[.!?]$/.test(summary) ? summary : `${summary}.`;
  return finding.confidence === 'possible' ? `${caution}${sentence}` : sentence;
}

function alarm(page: Page, analysis: Analysis, findings: readonly Finding[], first: Finding) {
  return {
    headline: statement(first),
    paint: first.severity === 'critical' ? page.bad : page.bold,
    rest: [tally(findings), ...harm(page, analysis, findings)],
  };
}

function tally(findings: readonly Finding[]): string {
  const critical = findings.filter(({ severity }) => severity === 'critical').length;
  const possible = findings.filter(({ confidence }) => confidence === 'possible').length;
  const parts = [plural(findings.length, 'problem')];
  if (critical > 0) parts.push(`${critical} critical`);
  if (possible > 0) parts.push(`${possible} only possible`);
  return `${parts.join(', ')}.`;
}

function harm(page: Page, analysis: Analysis, findings: readonly Finding[]): string[] {
  const sentences: string[] = [];
  const wrong = findings.filter(({ rule }) => rule === 'wrong-not-found');
  if (wrong.length > 0) {
    const servers = distinct(wrong.flatMap(({ server }) => (server === null ? [] : [server])));
    const count = wrong.reduce((sum, finding) => sum + finding.count, 0);
    const got = wrong.every(({ confidence }) => confidence === 'possible') ? 'may have got' : 'got';
    const range = page.clock.range(Math.min(...wrong.map((f) => f.from)), Math.max(...wrong.map((f) => f.to)));
    const of = servers.length > 0 ? ` of ${enumerate(servers)}` : '';
    sentences.push(`Clients${of} ${got} ${plural(count, 'wrong 404 answer')}, ${range} UTC.`);
  }
  const objects = new Set(
    findings.flatMap((f) => f.objects.map((o) => `${o.resource}\u0000${o.namespace}\u0000${o.name}`)),
  );
  if (objects.size > 0) sentences.push(`${plural(objects.size, 'object')} deleted or left behind wrongly.`);
  const { failed } = analysis.proxied;
  if (failed > 0) sentences.push(`${plural(failed, 'request')} could not be passed on to a peer.`);
  return sentences.map(escapeText);
}

function lookedAt(page: Page, analysis: Analysis): string {
  const records = analysis.inputs.reduce((sum, input) => sum + input.records, 0);
  const left = analysis.leftOut?.records ?? 0;
  const names = distinct(analysis.servers.map(({ name }) => name));
  const within = page.domain === '' ? '' : ` in ${page.domain}`;
  const parts = [
    analysis.window === null ? '' : page.clock.span(analysis.window.from, analysis.window.to),
    names.length === 0 ? '' : `${plural(names.length, 'server')}${within}: ${enumerate(names, 6)}`,
    `${groupDigits(records - left)} ${left > 0 ? `of ${groupDigits(records)} ` : ''}records in ${plural(analysis.inputs.length, 'input')}`,
    names.length === 0 ? 'no server known' : plural(analysis.proxied.total, 'proxied request'),
  ];
  return escapeText(`Looked at ${parts.filter((part) => part !== '').join('; ')}.`);
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
