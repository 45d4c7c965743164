/** Finished spans as the exporters take them, built directly: the SDK's tracer chooses ids itself and cannot write the past. */
import type { Attributes, HrTime, SpanContext, SpanKind, SpanStatus } from '@opentelemetry/api';
import type { InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';

/** Under which name spans, log records and metrics are told. */
export const SCOPE: InstrumentationScope = { name: 'skewscope' };

/** W3C flag of a sampled span: these spans are made to be exported. */
const SAMPLED = 1;

export interface SpanFacts {
  readonly context: SpanContext;
  /** Absent: the span is the root of its trace. */
  readonly parent?: SpanContext;
  readonly links?: readonly SpanContext[];
  readonly name: string;
  readonly kind: SpanKind;
  /** Microseconds since the epoch. */
  readonly startUs: number;
  readonly endUs: number;
  readonly status: SpanStatus;
  readonly attributes: Attributes;
  readonly resource: Resource;
}

/** A span that ends no earlier than it starts; `links` say that the other span carries the same Audit-ID. */
export function buildSpan(facts: SpanFacts): ReadableSpan {
  const endUs = Math.max(facts.startUs, facts.endUs);
  return {
    name: facts.name,
    kind: facts.kind,
    spanContext: () => facts.context,
    ...(facts.parent === undefined ? {} : { parentSpanContext: facts.parent }),
    startTime: hrTime(facts.startUs),
    endTime: hrTime(endUs),
    duration: hrTime(endUs - facts.startUs),
    status: facts.status,
    attributes: facts.attributes,
    links: (facts.links ?? []).map((context) => ({ context, attributes: { 'skewscope.link': 'same-audit-id' } })),
    events: [],
    ended: true,
    resource: facts.resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

export function contextOf(traceId: string, spanId: string): SpanContext {
  return { traceId, spanId, traceFlags: SAMPLED };
}

/** OTLP counts nanoseconds from 1970 in 64 bits; logs may claim any time. */
const MAX_US = 9_223_372_036_000_000;

/** The time, or the first or last that OTLP can hold. */
export function heldTime(us: number): number {
  return us > 0 ? Math.min(us, MAX_US) : 0;
}

/** Seconds and nanoseconds of a time or a duration in whole microseconds, within what OTLP can hold. */
export function hrTime(us: number): HrTime {
  const held = heldTime(us);
  const seconds = Math.floor(held / 1_000_000);
  return [seconds, Math.round(held - seconds * 1_000_000) * 1_000];
}
