/** Records as apiservers write them, for the tests of the formats stage; all values are made up. */

import { type DecoderCounters, RecordDecoder, type RecordDecoderOptions } from '../../src/formats/record-decoder.js';
import type { InputRef } from '../../src/model/origin.js';
import { type AuditEvent, detachEvent, type Problem, type Rec } from '../../src/model/record.js';

export const HINT_US = Date.UTC(2026, 5, 1) * 1000;

export function inputNamed(name: string): InputRef {
  return { id: 0, name, kind: 'memory', yearHintUs: HINT_US };
}

export function auditEvent(auditID: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID,
    stage: 'ResponseComplete',
    requestURI: '/apis/batch/v1/jobs?limit=5',
    verb: 'list',
    user: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    sourceIPs: ['192.0.2.1', '192.0.2.2'],
    userAgent: 'client/1.0 "quoted" \\ ünï',
    objectRef: { resource: 'jobs', apiGroup: 'batch', apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 200 },
    requestReceivedTimestamp: '2026-05-01T10:00:00.000001Z',
    stageTimestamp: '2026-05-01T10:00:00.000002Z',
    annotations: { 'authorization.k8s.io/decision': 'allow' },
    ...more,
  };
}

export function auditLine(auditID: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify(auditEvent(auditID, more));
}

export interface Decoded {
  readonly records: readonly Rec[];
  readonly problems: readonly Problem[];
  readonly counters: DecoderCounters;
}

/** Decodes the bytes in chunks that end at the given positions. */
export function decode(
  content: string | Buffer,
  options: RecordDecoderOptions & { readonly cuts?: readonly number[]; readonly name?: string } = {},
): Decoded {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const problems: Problem[] = [];
  const { cuts = [], name = 'memory', ...rest } = options;
  const decoder = new RecordDecoder(inputNamed(name), { onProblem: (problem) => problems.push(problem), ...rest });
  const records: Rec[] = [];
  let start = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    records.push(...decoder.feed(bytes.subarray(start, cut)));
    start = cut;
  }
  records.push(...decoder.feed(bytes.subarray(start)), ...decoder.finish());
  return { records, problems, counters: decoder.counters };
}

/** All records of the content in one piece, and the writers that the envelopes around them name. */
export function readNamed(decoder: RecordDecoder, content: Buffer) {
  const records: Rec[] = [];
  const writers: (string | undefined)[] = [];
  for (const part of [() => decoder.feed(content), () => decoder.finish()]) {
    const given = part();
    records.push(...given);
    writers.push(...given.map((_, at) => decoder.senders[decoder.senderOf?.[at] ?? 0]?.writer || undefined));
  }
  return { records, writers };
}

/** Records without the bytes they lie in, and with lazy members read: comparable and printable. */
export function plain(records: readonly Rec[]): readonly Readonly<Record<string, unknown>>[] {
  return records.map((record) => {
    if (record.type === 'audit') {
      const { bytes, start, end, requestObject, responseObject } = record;
      return {
        ...fieldsOf(record),
        json: bytes.toString('utf8', start, end),
        hasBodies: [requestObject, responseObject].map(Boolean),
      };
    }
    if (record.type === 'log') {
      const { type, line, offset, timeUs, severity, file, message, fields, text } = record;
      return { type, line, offset, timeUs, severity, file, message, fields: fields && [...fields], text };
    }
    return { ...record };
  });
}

/** What the event says, and not where. */
function fieldsOf(event: AuditEvent): Partial<AuditEvent> {
  const { bytes: _, start: _s, end: _e, requestObject: _q, responseObject: _r, ...fields } = detachEvent(event);
  return fields;
}

export function auditIDs(records: readonly Rec[]): readonly string[] {
  return records.flatMap((record) => (record.type === 'audit' ? [record.auditID] : []));
}

export function problemCounts(decoded: Decoded): Readonly<Record<string, number>> {
  return Object.fromEntries(decoded.counters.problems);
}
