/** Bodies for PagerDuty's Events API v2, within its limits. */
import { formatTime } from '../../../model/time.js';
import { escapeJson } from '../../../report/index.js';
import type { Notice } from '../../delivery/notice.js';
import { linkOf, paragraphs, plain, ruleOf, serversOf, severityOf, startedMs, subjectOf, summaryOf } from '../text.js';

const MAX_SUMMARY = 1_024;
const MAX_DEDUP_KEY = 255;
const MAX_DETAIL = 2_000;
const MAX_LISTED = 20;

/** A state that goes on triggers again with the same key: that adds to the incident and pages nobody twice. */
export function pagerDutyBody(notice: Notice, routingKey: string): string {
  const head = { routing_key: routingKey, dedup_key: `skewscope-${notice.key}`.slice(0, MAX_DEDUP_KEY) };
  if (notice.kind === 'resolved') return JSON.stringify({ ...head, event_action: 'resolve' });
  const link = linkOf(notice);
  return escapeJson(
    JSON.stringify({
      ...head,
      event_action: 'trigger',
      client: 'skewscope',
      payload: payloadOf(notice),
      ...(link === undefined ? {} : { links: [{ href: link, text: 'Documentation' }] }),
    }),
  );
}

function payloadOf(notice: Notice): Readonly<Record<string, unknown>> {
  const { cluster, scope, findings, total } = notice;
  const [first] = findings;
  const detail = (text: string) => plain(text, MAX_DETAIL);
  return {
    summary: summaryOf(notice, MAX_SUMMARY),
    source: plain(serversOf(notice) || cluster, MAX_SUMMARY) || 'skewscope',
    severity: severityOf(notice),
    timestamp: formatTime(startedMs(notice) * 1000),
    component: 'kube-apiserver',
    group: detail(cluster),
    class: detail(ruleOf(notice)),
    custom_details: {
      state_counter: notice.counter,
      total,
      findings: findings
        .slice(0, MAX_LISTED)
        .map((finding) => detail(`${finding.severity} ${finding.rule} ${subjectOf(finding)}`)),
      ...(first === undefined || scope === 'storm'
        ? {}
        : {
            meaning: paragraphs(first.meaning, MAX_DETAIL),
            cause: paragraphs(first.cause, MAX_DETAIL),
            fix: paragraphs(first.fix, MAX_DETAIL),
            verify: paragraphs(first.verify, MAX_DETAIL),
            confidence: first.confidence,
          }),
    },
  };
}
