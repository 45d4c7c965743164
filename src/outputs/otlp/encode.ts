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
import type { Protocol, Signal } from './settings.js';

export interface Payload {
  readonly signal: Signal;
  readonly protocol: Protocol;
  /** Spans, log records, or one for a collection of metrics. */
  readonly count: number;
  readonly body: Uint8Array;
}

/** Spans have a few KiB at most, so a message stays far below the 20 MiB that collectors accept by default. */
const MAX_ITEMS = 512;

export function encodeSpans(spans: readonly ReadableSpan[], protocol: Protocol): Payload[] {
  const serializer = protocol === 'http/json' ? JsonTraceSerializer : ProtobufTraceSerializer;
  return pieces(spans).map((piece) => payload('traces', protocol, piece.length, serializer.serializeRequest(piece)));
}

export function encodeLogs(records: readonly ReadableLogRecord[], protocol: Protocol): Payload[] {
  const serializer = protocol === 'http/json' ? JsonLogsSerializer : ProtobufLogsSerializer;
  return pieces(records).map((piece) => payload('logs', protocol, piece.length, serializer.serializeRequest(piece)));
}

export function encodeMetrics(metrics: ResourceMetrics, protocol: Protocol): Payload {
  const serializer = protocol === 'http/json' ? JsonMetricsSerializer : ProtobufMetricsSerializer;
  return payload('metrics', protocol, 1, serializer.serializeRequest(metrics));
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

function pieces<T>(items: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < items.length; at += MAX_ITEMS) parts.push(items.slice(at, at + MAX_ITEMS));
  return parts;
}

function payload(signal: Signal, protocol: Protocol, count: number, body: Uint8Array | undefined): Payload {
  if (body === undefined) throw new TypeError(`${signal} could not be written as OTLP`);
  return { signal, protocol, count, body };
}
