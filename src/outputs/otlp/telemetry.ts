/** From a batch to spans and log records: what all OTLP outputs, whatever they write to, have in common. */
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { OutputBatch } from '../output.js';
import { DiscoveryLog } from './discovery-logs.js';
import { findingRecord } from './finding-logs.js';
import { requestSpans } from './request-spans.js';
import { ServerResources } from './resources.js';
import { isSampled } from './sampling.js';
import { VersionWindowLog } from './version-window-logs.js';

export interface TelemetryOptions {
  /** Share of the proxied requests that become spans, 0 to 1; failures always do. */
  readonly ratio: number;
}

export interface Telemetry {
  readonly spans: readonly ReadableSpan[];
  readonly records: readonly ReadableLogRecord[];
}

/** Remembers which states were told, so that each batch gives only what is new. */
export class TelemetryBuilder {
  readonly #resources = new ServerResources();
  readonly #discovery = new DiscoveryLog();
  readonly #windows = new VersionWindowLog();

  constructor(readonly options: TelemetryOptions) {}

  build({ requests, changes, analysis }: OutputBatch): Telemetry {
    const resources = this.#resources.update(analysis.servers);
    return {
      spans: requests
        .filter((request) => isSampled(request, this.options.ratio))
        .flatMap((request) => requestSpans(request, resources)),
      records: [
        ...changes.map((change) => findingRecord(change, resources)),
        ...this.#discovery.changes(analysis, resources),
        ...this.#windows.changes(analysis, resources),
      ],
    };
  }
}
