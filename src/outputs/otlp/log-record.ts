/** OTLP log records, built directly with times and ids of what they tell. */
import { type LogAttributes, SeverityNumber } from '@opentelemetry/api-logs';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { spanIdOf, traceIdOf } from './ids.js';
import { safeText } from './safe-text.js';
import { contextOf, hrTime, SCOPE } from './span.js';

/** Longest body, in UTF-16 units. */
const MAX_BODY = 2_048;

export interface LogFacts {
  readonly event: string;
  /** The kind of thing that the record is about, and what tells it from others: all records of one thing share a trace. */
  readonly about: readonly [kind: string, ...names: (string | number)[]];
  /** Of the fact itself, so that two records of one fact are seen to be one. */
  readonly uid: string;
  /** Microseconds since the epoch, of the records read. */
  readonly atUs: number;
  readonly level: 'debug' | 'info' | 'warning' | 'critical';
  readonly body: string;
  readonly attributes: LogAttributes;
  readonly resource: Resource;
}

const SEVERITY = {
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warning: SeverityNumber.WARN,
  critical: SeverityNumber.ERROR,
} as const;

export function buildLogRecord(facts: LogFacts): ReadableLogRecord {
  const time = hrTime(facts.atUs);
  const traceId = traceIdOf(...facts.about);
  return {
    hrTime: time,
    // The fact was observed by reading records of that time; the clock of this process says nothing about it.
    hrTimeObserved: time,
    eventName: facts.event,
    severityNumber: SEVERITY[facts.level],
    severityText: facts.level,
    body: safeText(facts.body, MAX_BODY),
    attributes: { 'log.record.uid': facts.uid, ...facts.attributes },
    resource: facts.resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    spanContext: contextOf(traceId, spanIdOf(traceId, facts.about[0])),
  };
}
