/** One change of a finding as one line: `2026-01-05T03:04:05.000000Z OPENED critical peer-ca-untrusted cp1 → cp2 …`. */
import type { FindingChange } from '../findings/index.js';
import type { Finding } from '../model/finding.js';
import { formatTime } from '../model/time.js';
import { escapeProse, escapeText } from '../report/text/escape.js';

/**
 * The fields are separated by one space; the summary comes last. No newline at its end. The time is that of the latest
 * evidence; `recordedUs`, the time of the latest record, where a finding has no time of its own (a log that is missing).
 */
export function changeLine({ kind, finding }: FindingChange, recordedUs: number): string {
  const { severity, rule, summary, title, to } = finding;
  const what = escapeProse(summary === '' ? title : summary);
  return `${formatTime(to > 0 ? to : recordedUs)} ${kind.toUpperCase()} ${severity} ${rule} ${subjectOf(finding)} ${what}`;
}

/** Whom a finding is about: the calls affected, else the server, else `-`. */
export function subjectOf({ server, edges }: Finding): string {
  if (edges.length === 0) return escapeText(server ?? '-');
  const bySource = new Map<string, Set<string>>();
  for (const { source, destination } of edges) {
    bySource.set(source, (bySource.get(source) ?? new Set()).add(destination));
  }
  const sources = [...bySource.keys()].sort();
  const destinations = [...new Set(edges.map(({ destination }) => destination))].sort();
  return escapeText(`${few(sources)} → ${few(destinations)}`);
}

function few(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 2).join(',')} and ${names.length - 2} more` : names.join(',');
}
