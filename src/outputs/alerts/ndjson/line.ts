/** A change of a finding on one line, with the fields that `watch --format ndjson` prints. */
import { formatTime } from '../../../model/time.js';
import { escapeJson, toResultFinding } from '../../../report/index.js';
import type { Notice } from '../../delivery/notice.js';
import { ruleOf, summaryOf } from '../text.js';
import { eventId } from '../webhook/cloud-event.js';

/** `id` is equal when a line is written twice. Several findings together are told with a list of them. */
export function noticeLine(notice: Notice): string {
  const { kind, atMs, cluster, findings, total } = notice;
  const head = { kind: 'change', change: kind, id: eventId(notice), at: formatTime(atMs * 1000), cluster };
  const [finding] = findings;
  const single = total === 1 && notice.scope === 'finding' && finding !== undefined;
  const rest = single
    ? toResultFinding(finding)
    : { rule: ruleOf(notice), summary: summaryOf(notice), total, findings: findings.map(toResultFinding) };
  return escapeJson(JSON.stringify({ ...head, ...rest }));
}
