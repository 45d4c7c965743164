/** Text for Slack and what understands its incoming webhooks: no mark-up of ours, and none of whoever writes into logs. */
import { formatTime } from '../../../model/time.js';
import { escapeJson } from '../../../report/index.js';
import type { Notice } from '../../delivery/notice.js';
import { linkOf, plain, ruleOf, severityOf, startedMs, subjectOf, summaryOf } from '../text.js';

/** Slack advises 4000 characters; escaping makes some of them longer. */
const MAX_LINE = 500;
const MAX_LISTED = 5;

export function slackBody(notice: Notice): string {
  // Without parsing there are no channel mentions, links by guess, or formats in Slack itself.
  const quiet = { mrkdwn: false, parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false };
  return escapeJson(JSON.stringify({ text: slackText(notice), ...quiet }));
}

export function slackText(notice: Notice): string {
  const { kind, findings, total, scope } = notice;
  const [first] = findings;
  if (first === undefined) return '';
  const state = kind === 'resolved' ? 'RESOLVED' : kind === 'opened' ? 'FIRING' : 'STILL FIRING';
  const lines = [`${state} ${severityOf(notice)} ${ruleOf(notice)}: ${summaryOf(notice, MAX_LINE)}`];
  const about = scope === 'finding' ? `, ${subjectOf(first)}` : '';
  lines.push(`Cluster ${first.cluster}${about}, since ${formatTime(startedMs(notice) * 1000)}`);
  if (kind !== 'resolved' && scope !== 'storm') lines.push(`Cause: ${first.cause}`, `Fix: ${first.fix}`);
  if (total > 1) lines.push(...listed(notice));
  const link = linkOf(notice);
  const text = lines.map((line) => slackEscape(plain(line, MAX_LINE))).join('\n');
  return link === undefined ? text : `${text}\n${slackEscape(link)}`;
}

function listed({ findings, total }: Notice): string[] {
  const shown = findings.slice(0, MAX_LISTED);
  const lines = shown.map((finding) => `- ${finding.severity} ${finding.rule} ${subjectOf(finding)}`);
  return total > shown.length ? [...lines, `- and ${total - shown.length} more`] : lines;
}

/**
 * Slack's three characters as entities; what Markdown of compatible servers acts on (mentions, links, code, emphasis at
 * the edge of a word) as its look-alike, for there is no escape that all of them know. A name like `kube_system` stays.
 */
export function slackEscape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[@`*~[\]|\\!]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, (character) => LOOK_ALIKES[character] ?? ' ');
}

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '@': '\uff20',
  '`': '\u02cb',
  '*': '\u2217',
  '~': '\u223c',
  '[': '\uff3b',
  ']': '\uff3d',
  '|': '\uff5c',
  '\\': '\uff3c',
  '!': '\uff01',
  _: '\uff3f',
};
