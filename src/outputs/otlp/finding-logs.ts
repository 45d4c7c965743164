/** A change of a finding as a log record, from its opening to its end. */
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { FindingChange } from '../../findings/index.js';
import type { Finding } from '../../model/finding.js';
import { formatTime } from '../../model/time.js';
import { recordIdOf } from './ids.js';
import { buildLogRecord } from './log-record.js';
import type { ServerResources } from './resources.js';
import { safeText } from './safe-text.js';
import { heldTime } from './span.js';

const MAX_NAME = 253;
const MAX_SENTENCE = 1_024;
const MAX_PLACE = 512;
const MAX_EDGES = 20;

/** Severity is the finding's while it is open and `info` once it is resolved. */
export function findingRecord({ kind, finding }: FindingChange, resources: ServerResources): ReadableLogRecord {
  const { cluster, fingerprint, server } = finding;
  return buildLogRecord({
    event: 'skewscope.finding',
    about: ['finding', cluster, fingerprint],
    uid: recordIdOf('finding', cluster, fingerprint, kind, finding.severity, finding.from, finding.to, finding.count),
    atUs: finding.to,
    level: kind === 'resolved' ? 'info' : finding.severity,
    body: kind === 'resolved' ? `Resolved: ${finding.summary}` : finding.summary,
    attributes: attributesOf(kind, finding),
    resource: server === null ? resources.ofCluster(cluster) : resources.of(cluster, server, finding.to),
  });
}

function attributesOf(kind: FindingChange['kind'], finding: Finding): Record<string, string | number | string[]> {
  const first = finding.evidence[0];
  return {
    'skewscope.finding.rule': safeText(finding.rule, MAX_NAME),
    'skewscope.finding.fingerprint': safeText(finding.fingerprint, MAX_NAME),
    'skewscope.finding.state': kind,
    'skewscope.finding.severity': finding.severity,
    'skewscope.finding.confidence': finding.confidence,
    'skewscope.finding.title': safeText(finding.title, MAX_NAME),
    'skewscope.finding.count': finding.count,
    'skewscope.finding.from': formatTime(heldTime(finding.from)),
    'skewscope.finding.to': formatTime(heldTime(finding.to)),
    'skewscope.finding.cause': safeText(finding.cause, MAX_SENTENCE),
    'skewscope.finding.fix': safeText(finding.fix, MAX_SENTENCE),
    'skewscope.finding.edges': finding.edges
      .slice(0, MAX_EDGES)
      .map(({ source, destination }) => `${safeText(source, MAX_NAME)} -> ${safeText(destination, MAX_NAME)}`),
    'skewscope.finding.objects': finding.objects.length,
    ...(finding.server === null ? {} : { 'skewscope.server': safeText(finding.server, MAX_NAME) }),
    ...(finding.resource === null ? {} : { 'skewscope.resource': safeText(finding.resource, MAX_NAME) }),
    ...(first === undefined
      ? {}
      : { 'skewscope.log.input': safeText(first.input, MAX_PLACE), 'skewscope.log.line': first.line }),
  };
}
