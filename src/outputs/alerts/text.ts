/** Words about a notice for people, bounded and on one line each: what all kinds of alerts say alike. */
import { type Finding, SEVERITIES, type Severity } from '../../model/finding.js';
import { escapeProse, escapeText } from '../../report/text/escape.js';
import { cut } from '../delivery/bound.js';
import type { Notice } from '../delivery/notice.js';

/** One line of at most `limit` UTF-16 units, with every control, invisible and bidi character made visible. */
export function plain(text: string, limit: number): string {
  return cut(escapeProse(cut(text, limit * 2)), limit);
}

/** Like `plain`, but the line breaks of a command or a list stay. */
export function paragraphs(text: string, limit: number): string {
  const lines = cut(text, limit * 2).split(/\r?\n/);
  const kept = lines.map((line) => escapeText(line).trimEnd()).join('\n');
  return cut(kept.replace(/\n{3,}/g, '\n\n').trim(), limit);
}

/** The worst of its findings. */
export function severityOf({ findings }: Notice): Severity {
  const worst = Math.max(...findings.map(({ severity }) => SEVERITIES.indexOf(severity)));
  return SEVERITIES[worst] ?? 'warning';
}

/** The rule of its findings; of a storm a word of its own. */
export function ruleOf({ scope, findings }: Notice): string {
  return scope === 'storm' ? STORM_RULE : (findings[0]?.rule ?? '');
}

export const STORM_RULE = 'alert-storm';

/** What happened, in one line. */
export function summaryOf(notice: Notice, limit = 600): string {
  const { scope, findings, total, limit: most } = notice;
  const [first] = findings;
  if (first === undefined) return '';
  if (scope === 'storm') {
    const rules = [...new Set(findings.map(({ rule }) => rule))].join(', ');
    return plain(
      `storm: ${total} more findings in cluster ${first.cluster}, not alerted one by one after ${most ?? 0} incidents: ${rules}`,
      limit,
    );
  }
  const words = first.summary === '' ? first.title : first.summary;
  const servers = serversOf(notice);
  const others = total > 1 ? ` (and ${total - 1} more of this kind${servers === '' ? '' : `: ${servers}`})` : '';
  const room = Math.max(40, limit - others.length);
  return plain(`${plain(words, room)}${others}`, limit);
}

/** Names of the servers concerned, a few of them; '' when none is. */
export function serversOf({ findings }: Notice): string {
  const names = [...new Set(findings.flatMap(({ server }) => (server === null ? [] : [server])))].sort();
  const shown = names.slice(0, 8).map((name) => plain(name, 60));
  return names.length > shown.length ? `${shown.join(', ')}, …` : shown.join(', ');
}

/** Milliseconds since the epoch when the first of it happened; never in the future, and never without a time. */
export function startedMs({ findings, atMs }: Notice): number {
  const times = findings.flatMap(({ from }) => (from > 0 ? [from / 1000] : []));
  return Math.floor(Math.min(atMs, ...times));
}

/** Where a finding points: calls between peers, else the server, else the cluster. */
export function subjectOf({ server, edges, cluster }: Finding): string {
  const [edge] = edges;
  const name = (text: string) => plain(text, 60);
  if (edge === undefined) return server === null ? `cluster ${name(cluster)}` : name(server);
  const more = edges.length > 1 ? ` and ${edges.length - 1} more` : '';
  return `${name(edge.source)} → ${name(edge.destination)}${more}`;
}

/** The first reference of its findings that is a web address; undefined when none is. */
export function linkOf({ findings }: Notice): string | undefined {
  return findings
    .flatMap(({ references }) => references)
    .find((text) => /^https?:\/\/[\x21-\x7e]+$/.test(text) && text.length <= 2_000);
}
