/** The limits of attributes that the OTEL_* variables set, beside those that every attribute has from the start. */
import type { Attributes, AttributeValue } from '@opentelemetry/api';
import type { AnyValue, LogAttributes } from '@opentelemetry/api-logs';

/** Undefined: no limit. */
export interface AttributeLimits {
  /** Of texts, in UTF-16 units. */
  readonly length: number | undefined;
  /** Attributes of one span or record; the first ones stay. */
  readonly count: number | undefined;
}

export interface Limited<A> {
  readonly attributes: A;
  readonly droppedAttributesCount: number;
}

export function limitAttributes<A extends Attributes | LogAttributes>(
  attributes: A,
  limits: AttributeLimits,
): Limited<A> {
  const { length, count } = limits;
  const entries = Object.entries(attributes);
  const kept = count === undefined ? entries : entries.slice(0, count);
  const cut = length === undefined ? kept : kept.map(([name, value]) => [name, shortened(value, length)] as const);
  return { attributes: Object.fromEntries(cut) as A, droppedAttributesCount: entries.length - kept.length };
}

function shortened(value: AttributeValue | AnyValue | undefined, length: number): unknown {
  if (typeof value === 'string') return cutText(value, length);
  return Array.isArray(value) ? value.map((part) => (typeof part === 'string' ? cutText(part, length) : part)) : value;
}

/** A pair of surrogates that the cut would halve goes whole. */
function cutText(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
