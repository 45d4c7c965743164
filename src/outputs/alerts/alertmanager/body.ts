/** The body of `POST /api/v2/alerts`. */
import { placeText } from '../../../model/origin.js';
import { formatTime } from '../../../model/time.js';
import { escapeJson } from '../../../report/index.js';
import type { Notice } from '../../delivery/notice.js';
import { linkOf, paragraphs, plain, serversOf, subjectOf, summaryOf } from '../text.js';
import { type Labels, labelsOf } from './labels.js';

export interface PostableAlert {
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL?: string;
}

export interface AlertOptions {
  readonly labels?: Labels;
  /** An open alert ends by itself after this, unless it is sent again: nobody may be left to end it. */
  readonly holdMs: number;
}

const MAX_ANNOTATION = 2_000;

export function alertOf(notice: Notice, nowMs: number, { labels = {}, holdMs }: AlertOptions): PostableAlert {
  // When it was told, not when it began: for alerts that began long ago Alertmanager does not wait for the rest of
  // their group, and pages for the first one alone. Of several times it keeps the earliest. `first` tells the beginning.
  const startsMs = Math.min(notice.atMs, nowMs);
  const link = linkOf(notice);
  return {
    labels: labelsOf(notice, labels),
    annotations: annotationsOf(notice),
    startsAt: rfc3339(startsMs),
    endsAt: rfc3339(Math.max(startsMs, notice.kind === 'resolved' ? nowMs : nowMs + holdMs)),
    ...(link === undefined ? {} : { generatorURL: link }),
  };
}

/** Of several notices with one identity the last one holds. */
export function alertsBody(alerts: readonly PostableAlert[]): string {
  const last = new Map(alerts.map((alert) => [JSON.stringify(alert.labels), alert]));
  return escapeJson(JSON.stringify([...last.values()]));
}

function annotationsOf(notice: Notice): Labels {
  const { scope, findings, total } = notice;
  const [finding] = findings;
  if (finding === undefined) return {};
  const [quoted] = finding.evidence;
  const prose = (text: string) => (scope === 'storm' ? '' : paragraphs(text, MAX_ANNOTATION));
  const line = (text: string) => plain(text, MAX_ANNOTATION);
  const texts: Record<string, string> = {
    summary: summaryOf(notice),
    description: prose(finding.meaning),
    cause: prose(finding.cause),
    fix: prose(finding.fix),
    verify: prose(finding.verify),
    subject: total === 1 ? subjectOf(finding) : serversOf(notice),
    confidence: finding.confidence,
    count: String(scope === 'finding' ? finding.count : total),
    first: finding.from > 0 ? formatTime(finding.from) : '',
    last: finding.to > 0 ? formatTime(finding.to) : '',
    evidence: quoted === undefined ? '' : line(`${placeText(quoted)}: ${quoted.quote}`),
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

function rfc3339(ms: number): string {
  return new Date(ms).toISOString();
}
