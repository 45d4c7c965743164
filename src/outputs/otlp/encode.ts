/** Spans, log records and metrics as OTLP messages, in pieces that every collector takes. */
import {
  type ISerializer,
  JsonLogsSerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { Protocol } from './settings.js';
import type { Signal } from './signal.js';
import { type Item, partsOf } from './telemetry.js';
import type { ToldKey } from './told-table.js';

export interface Payload {
  readonly signal: Signal;
  readonly protocol: Protocol;
  /** Spans, log records, or one for a collection of metrics. */
  readonly count: number;
  readonly body: Uint8Array;
  /** What its receiver has been told once it has it. */
  readonly keys: readonly ToldKey[];
}

/** Spans have a few KiB at most, so a message stays far below the 20 MiB that collectors accept by default. */
const MAX_ITEMS = 512;

/** `size`: spans of one message at most, except that those of one request stay together. */
export function encodeSpans(items: readonly Item<ReadableSpan>[], protocol: Protocol, size = MAX_ITEMS): Payload[] {
  const serializer = protocol === 'http/json' ? JsonTraceSerializer : ProtobufTraceSerializer;
  return pieces(items, size).map((piece) => payload('traces', protocol, piece, serializer));
}

export function encodeLogs(items: readonly Item<ReadableLogRecord>[], protocol: Protocol, size = MAX_ITEMS): Payload[] {
  const serializer = protocol === 'http/json' ? JsonLogsSerializer : ProtobufLogsSerializer;
  return pieces(items, size).map((piece) => payload('logs', protocol, piece, serializer));
}

export function encodeMetrics(metrics: ResourceMetrics, protocol: Protocol): Payload {
  const serializer = protocol === 'http/json' ? JsonMetricsSerializer : ProtobufMetricsSerializer;
  return {
    signal: 'metrics',
    protocol,
    count: 1,
    body: written('metrics', serializer.serializeRequest(metrics)),
    keys: [],
  };
}

/** What a receiver says when it took a message in part, or took it with a remark. */
export interface PartialSuccess {
  readonly rejected: number;
  readonly message: string;
}

/** Undefined when everything was taken. Throws when the answer is no OTLP message. */
export function partialSuccess({ signal, protocol }: Payload, answer: Uint8Array): PartialSuccess | undefined {
  if (answer.length === 0) return undefined;
  const json = protocol === 'http/json';
  if (signal === 'traces') {
    const told = read(json ? JsonTraceSerializer : ProtobufTraceSerializer, answer).partialSuccess;
    return made(told?.rejectedSpans, told?.errorMessage);
  }
  if (signal === 'logs') {
    const told = read(json ? JsonLogsSerializer : ProtobufLogsSerializer, answer).partialSuccess;
    return made(told?.rejectedLogRecords, told?.errorMessage);
  }
  const told = read(json ? JsonMetricsSerializer : ProtobufMetricsSerializer, answer).partialSuccess;
  return made(told?.rejectedDataPoints, told?.errorMessage);
}

function read<T>(serializer: Pick<ISerializer<never, T>, 'deserializeResponse'>, answer: Uint8Array): T {
  return serializer.deserializeResponse(answer);
}

/** Numbers of 64 bits come as strings in JSON. */
function made(rejected: unknown, message: unknown): PartialSuccess | undefined {
  const count = Number(rejected ?? 0);
  const words = typeof message === 'string' ? message : '';
  return count > 0 || words !== '' ? { rejected: Number.isFinite(count) ? count : 0, message: words } : undefined;
}

function pieces<T>(items: readonly Item<T>[], wanted: number): Item<T>[][] {
  const size = Math.min(wanted, MAX_ITEMS);
  const found: Item<T>[][] = [];
  let count = size;
  for (const item of items) {
    if (count > 0 && count + item.parts.length > size) {
      found.push([]);
      count = 0;
    }
    found.at(-1)?.push(item);
    count += item.parts.length;
  }
  return found;
}

function payload<T>(
  signal: Signal,
  protocol: Protocol,
  items: readonly Item<T>[],
  serializer: Pick<ISerializer<T[], never>, 'serializeRequest'>,
): Payload {
  const parts = partsOf(items);
  const keys = items.flatMap(({ key, subject }) => (subject === undefined ? [key] : [key, subject]));
  return { signal, protocol, count: parts.length, body: written(signal, serializer.serializeRequest(parts)), keys };
}

function written(signal: Signal, body: Uint8Array | undefined): Uint8Array {
  if (body === undefined) throw new TypeError(`${signal} could not be written as OTLP`);
  return body;
}
