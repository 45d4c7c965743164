/** What a collector's file exporter wrote, flat: OTLP in JSON, one message a line. */

export type Attributes = Readonly<Record<string, unknown>>;

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** '' for a root. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 2 is SERVER, 3 is CLIENT. */
  readonly kind: number;
  readonly startNs: bigint;
  readonly endNs: bigint;
  /** 0 unset, 2 error. */
  readonly status: number;
  readonly attributes: Attributes;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly resource: Attributes;
}

export interface ReceivedLog {
  readonly event: string;
  readonly timeNs: bigint;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: Attributes;
  readonly resource: Attributes;
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly kind: 'sum' | 'gauge' | 'histogram';
  readonly points: readonly { readonly attributes: Attributes; readonly value: number; readonly count: number }[];
}

export interface Received {
  readonly spans: readonly ReceivedSpan[];
  readonly logs: readonly ReceivedLog[];
  readonly metrics: readonly ReceivedMetric[];
}

export function readReceived(lines: readonly string[]): Received {
  const messages = lines.map((line) => JSON.parse(line));
  return {
    spans: messages.flatMap((message) => each(message, 'resourceSpans', 'scopeSpans', 'spans', toSpan)),
    logs: messages.flatMap((message) => each(message, 'resourceLogs', 'scopeLogs', 'logRecords', toLog)),
    metrics: messages.flatMap((message) => each(message, 'resourceMetrics', 'scopeMetrics', 'metrics', toMetric)),
  };
}

/** JSON of which only the parts that are read are known. */
// biome-ignore lint/suspicious/noExplicitAny: a stranger's JSON
type Json = any;

function each<T>(
  message: Json,
  resources: string,
  scopes: string,
  items: string,
  convert: (item: Json, resource: Attributes) => T,
): T[] {
  return (message[resources] ?? []).flatMap((group: Json) =>
    (group[scopes] ?? []).flatMap((scope: Json) =>
      (scope[items] ?? []).map((item: Json) => convert(item, attributesOf(group.resource?.attributes))),
    ),
  );
}

function toSpan(span: Json, resource: Attributes): ReceivedSpan {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? '',
    name: span.name,
    kind: span.kind,
    startNs: BigInt(span.startTimeUnixNano),
    endNs: BigInt(span.endTimeUnixNano),
    status: span.status?.code ?? 0,
    attributes: attributesOf(span.attributes),
    links: (span.links ?? []).map(({ traceId, spanId }: Json) => ({ traceId, spanId })),
    resource,
  };
}

function toLog(record: Json, resource: Attributes): ReceivedLog {
  return {
    event: record.eventName ?? '',
    timeNs: BigInt(record.timeUnixNano),
    severityNumber: record.severityNumber,
    severityText: record.severityText,
    body: record.body?.stringValue ?? '',
    traceId: record.traceId ?? '',
    spanId: record.spanId ?? '',
    attributes: attributesOf(record.attributes),
    resource,
  };
}

function toMetric(metric: Json): ReceivedMetric {
  const kind = metric.sum ? 'sum' : metric.gauge ? 'gauge' : 'histogram';
  return {
    name: metric.name,
    unit: metric.unit ?? '',
    kind,
    points: (metric[kind].dataPoints ?? []).map((point: Json) => ({
      attributes: attributesOf(point.attributes),
      value: Number(point.asDouble ?? point.asInt ?? point.sum ?? 0),
      count: Number(point.count ?? 0),
    })),
  };
}

function attributesOf(list: Json): Attributes {
  return Object.fromEntries((list ?? []).map(({ key, value }: Json) => [key, plainValue(value)]));
}

function plainValue(value: Json): unknown {
  if ('intValue' in value) return Number(value.intValue);
  if ('arrayValue' in value) return (value.arrayValue.values ?? []).map(plainValue);
  return value.stringValue ?? value.boolValue ?? value.doubleValue;
}
