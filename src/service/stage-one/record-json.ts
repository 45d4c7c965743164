/** Records that are no audit events, as JSON that gives exactly the same record again. Places in the input are not in it. */
import type { AuditEvent, LogLine, MetricSample, Rec } from '../../model/record.js';

export type PlainRecord = Exclude<Rec, AuditEvent>;

const TYPES: ReadonlySet<unknown> = new Set([
  'log',
  'lease',
  'discovery',
  'metric',
  'flag',
] satisfies PlainRecord['type'][]);

interface Packed {
  readonly record: Record<string, unknown>;
  /** A log line's fields, or a sample's labels. */
  readonly pairs?: readonly (readonly [string, string])[];
  /** A number that JSON does not have. */
  readonly value?: string;
}

export function recordText(record: PlainRecord): string {
  if (record.type === 'log') {
    // One by one: some of them are read from the text only when they are asked for.
    const { type, timeUs, severity, file, message, fields, text } = record;
    const pairs = fields === undefined ? {} : { pairs: [...fields] };
    return JSON.stringify({ record: { type, timeUs, severity, file, message, text }, ...pairs } satisfies Packed);
  }
  const { line: _line, offset: _offset, ...rest } = record;
  if (record.type === 'metric') {
    const { labels, value, ...others } = rest as MetricSample;
    const isPlain = Number.isFinite(value) && !Object.is(value, -0);
    const number = isPlain ? { record: { ...others, value } } : { record: others, value: numberText(value) };
    return JSON.stringify({ ...number, pairs: [...labels] } satisfies Packed);
  }
  return JSON.stringify({ record: rest } satisfies Packed);
}

/** Undefined for what is no record. */
export function recordOf(text: string, line: number, offset: number): PlainRecord | undefined {
  const { record, pairs, value } = parsed(text);
  if (!TYPES.has(record?.type)) return undefined;
  const whole = { ...record, line, offset };
  if (record?.type === 'log') return { ...whole, fields: pairs === undefined ? undefined : new Map(pairs) } as LogLine;
  if (record?.type !== 'metric') return whole as unknown as PlainRecord;
  const number = value === undefined ? {} : { value: Number(value) };
  return { ...whole, ...number, labels: new Map(pairs) } as unknown as MetricSample;
}

function parsed(text: string): Partial<Packed> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<Packed>;
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function numberText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
