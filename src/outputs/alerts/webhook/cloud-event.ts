/** A notice as a CloudEvent 1.0 in structured JSON; also what goes to Kafka. */
import { formatTime } from '../../../model/time.js';
import { escapeJson, toResultFinding } from '../../../report/index.js';
import type { Notice } from '../../delivery/notice.js';
import { linkOf, plain, ruleOf, severityOf, startedMs, subjectOf, summaryOf } from '../text.js';

export const CLOUD_EVENT_TYPE = 'application/cloudevents+json; charset=UTF-8';

/** Equal for every attempt to tell one state: receivers may drop what they have seen. */
export function eventId({ key, counter }: Notice): string {
  return `${key}-${counter}`;
}

/** `time` is when it was decided; `data.findings` have the fields of the findings in the JSON result. */
export function cloudEvent(notice: Notice): Readonly<Record<string, unknown>> {
  const { key, counter, kind, scope, cluster, atMs, findings, total } = notice;
  const [first] = findings;
  const link = linkOf(notice);
  return {
    specversion: '1.0',
    id: eventId(notice),
    source: `/skewscope/clusters/${encodeURIComponent(plain(cluster, 200))}`,
    type: `skewscope.finding.${kind}`,
    subject:
      `${plain(ruleOf(notice), 200)}${first === undefined || total > 1 ? '' : ` ${subjectOf(first)}`}`.trim() || key,
    time: formatTime(atMs * 1000),
    datacontenttype: 'application/json',
    data: {
      key,
      state: kind === 'resolved' ? 'resolved' : 'firing',
      counter,
      scope,
      cluster,
      rule: ruleOf(notice),
      severity: severityOf(notice),
      summary: summaryOf(notice),
      since: formatTime(startedMs(notice) * 1000),
      total,
      ...(link === undefined ? {} : { link }),
      findings: findings.map((finding) => ({ cluster: finding.cluster, ...toResultFinding(finding) })),
    },
  };
}

/** On one line, harmless on a terminal. */
export function cloudEventText(notice: Notice): string {
  return escapeJson(JSON.stringify(cloudEvent(notice)));
}
