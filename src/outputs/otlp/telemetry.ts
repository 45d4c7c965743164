/** From a batch to spans and log records: what all OTLP outputs, whatever they write to, have in common. */
import type { Attributes } from '@opentelemetry/api';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { OutputBatch } from '../output.js';
import { type AttributeLimits, limitAttributes } from './attribute-limits.js';
import { DiscoveryLog } from './discovery-logs.js';
import { findingRecord } from './finding-logs.js';
import { requestSpans } from './request-spans.js';
import { ServerResources } from './resources.js';
import { isSampled } from './sampling.js';
import { findingKey, recordKey, requestKey } from './told-keys.js';
import type { ToldKey } from './told-table.js';
import { VersionWindowLog } from './version-window-logs.js';

export interface TelemetryOptions {
  /** Share of the proxied requests that become spans, 0 to 1; failures always do. */
  readonly ratio: number;
  /** False: none of them are made. */
  readonly signals?: { readonly traces: boolean; readonly logs: boolean };
  /** Of every resource, as far as they can be true of it. */
  readonly attributes?: Attributes;
  /** Of this program, where it speaks of a cluster. */
  readonly serviceName?: string;
  readonly limits?: Readonly<Record<'traces' | 'logs', AttributeLimits>>;
  /** Spans, or log records, of one message. */
  readonly batch?: Readonly<Record<'traces' | 'logs', number | undefined>>;
}

/** What is told together or not at all. */
export interface Item<T> {
  readonly parts: readonly T[];
  /** Its identity: the same when the same logs are read again. */
  readonly key: ToldKey;
  /** Of a finding's record: the finding, with the time of its latest evidence. */
  readonly subject?: ToldKey;
}

export interface Telemetry {
  readonly spans: readonly Item<ReadableSpan>[];
  readonly records: readonly Item<ReadableLogRecord>[];
}

/** Remembers which states were told, so that each batch gives only what is new. */
export class TelemetryBuilder {
  readonly #resources: ServerResources;
  readonly #discovery = new DiscoveryLog();
  readonly #windows = new VersionWindowLog();

  constructor(readonly options: TelemetryOptions) {
    this.#resources = new ServerResources(options);
  }

  build({ requests, changes, analysis }: OutputBatch): Telemetry {
    const { ratio, signals = BOTH } = this.options;
    const resources = this.#resources.update(analysis.servers);
    const sampled = signals.traces ? requests.filter((request) => isSampled(request, ratio)) : [];
    return {
      spans: sampled.map((request) => ({
        key: requestKey(request),
        parts: requestSpans(request, resources).map((span) => this.#limitedSpan(span)),
      })),
      records: signals.logs
        ? [
            ...changes.map((change) => ({
              ...this.#recordItem(findingRecord(change, resources)),
              subject: findingKey(change.finding),
            })),
            ...this.#discovery.changes(analysis, resources).map((record) => this.#recordItem(record)),
            ...this.#windows.changes(analysis, resources).map((record) => this.#recordItem(record)),
          ]
        : [],
    };
  }

  #recordItem(record: ReadableLogRecord): Item<ReadableLogRecord> {
    const { limits } = this.options;
    const limited = limits === undefined ? record : { ...record, ...limitAttributes(record.attributes, limits.logs) };
    return { key: recordKey(record), parts: [limited] };
  }

  #limitedSpan(span: ReadableSpan): ReadableSpan {
    const { limits } = this.options;
    return limits === undefined ? span : { ...span, ...limitAttributes(span.attributes, limits.traces) };
  }
}

/** All of them, one after the other. */
export function partsOf<T>(items: readonly Item<T>[]): T[] {
  return items.flatMap(({ parts }) => parts);
}

const BOTH = { traces: true, logs: true };
