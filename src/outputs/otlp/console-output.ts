/** The output that shows spans and log records to people, one a line, the spans of a trace below each other. */
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { formatTime } from '../../model/time.js';
import type { DeliveryReport, Output, OutputBatch } from '../output.js';
import { partsOf, TelemetryBuilder, type TelemetryOptions } from './telemetry.js';

/** `write` gets whole lines; they hold no control characters but the line ends. */
export function createOtlpConsoleOutput(
  write: (text: string) => void | Promise<void>,
  options: TelemetryOptions = { ratio: 1 },
): Output {
  const builder = new TelemetryBuilder(options);
  return {
    name: 'otlp console',
    spools: false,
    async deliver(batch: OutputBatch): Promise<DeliveryReport> {
      const { spans, records } = builder.build(batch);
      const lines = [...partsOf(spans).map(spanLine), ...partsOf(records).map(recordLine)];
      if (lines.length > 0) await write(lines.map((line) => `${line}\n`).join(''));
      return { delivered: lines.length, known: 0, waiting: [], refused: [] };
    },
    async close(): Promise<void> {},
  };
}

const DEPTH: Readonly<Record<string, string>> = { source: '', hop: '  ', destination: '    ' };

function spanLine(span: ReadableSpan): string {
  const { attributes, resource, status } = span;
  const side = String(attributes['skewscope.side']);
  const code = attributes['http.response.status_code'];
  const words = [
    formatTime(micros(span.startTime)),
    `${DEPTH[side] ?? ''}${span.kind === SpanKind.CLIENT ? 'CLIENT' : 'SERVER'}`,
    String(resource.attributes['skewscope.server']),
    span.name,
    `${(micros(span.duration) / 1000).toFixed(3)} ms`,
    ...(code === undefined ? [] : [String(code)]),
    ...(status.code === SpanStatusCode.ERROR ? [`error=${String(attributes['error.type'])}`] : []),
    `audit-id=${String(attributes['audit-id'])}`,
    `trace=${span.spanContext().traceId}`,
  ];
  return words.join(' ');
}

function recordLine(record: ReadableLogRecord): string {
  const words = [formatTime(micros(record.hrTime)), record.severityText ?? '', record.eventName ?? ''];
  return [...words, String(record.body)].join(' ');
}

function micros([seconds, nanoseconds]: readonly [number, number]): number {
  return seconds * 1_000_000 + nanoseconds / 1_000;
}
