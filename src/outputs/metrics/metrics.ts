/** The program's metrics in the data model of the OpenTelemetry SDK, set from the latest batch whenever they are asked for. */
import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { hrTime, SCOPE } from '../otlp/span.js';
import type { DeliveryReport, OutputBatch } from '../output.js';
import { analysisFamilies } from './analysis-families.js';
import { DeliveryTotals } from './delivery-totals.js';
import type { Family } from './family.js';
import { Growing } from './growing.js';
import { FAILURE_METRIC, HOP_BOUNDARIES, HOP_METRIC, RequestTotals } from './request-totals.js';
import { SeriesLimit } from './series-limit.js';

export interface MetricsOptions {
  /** When the program began to count, in milliseconds since the epoch. */
  readonly startMs: number;
  /** Label sets of one metric. */
  readonly maxSeries?: number;
  /** Tells this program apart from its replicas: a pod's or a host's name. */
  readonly instance?: string;
  /** What the environment says of this program as a resource; it goes before the rest. */
  readonly resource?: Attributes;
  /** Metrics of whoever runs the program, beside those of the analysis and its outputs. */
  readonly more?: () => readonly Family[];
}

/** The SDK's instruments keep label sets that are gone; these metrics are what holds now, no more. */
export class Metrics {
  readonly #limit: SeriesLimit;
  readonly #requests: RequestTotals;
  readonly #deliveries = new DeliveryTotals();
  readonly #growing = new Growing();
  readonly #resource;
  #latest: Pick<OutputBatch, 'analysis' | 'findings'> | undefined;

  constructor(readonly options: MetricsOptions) {
    this.#limit = new SeriesLimit(options.maxSeries);
    this.#requests = new RequestTotals(this.#limit);
    this.#resource = resourceFromAttributes({
      'service.name': 'skewscope',
      ...(options.instance === undefined ? {} : { 'service.instance.id': options.instance }),
      ...options.resource,
    });
  }

  /** Takes what holds now. The requests are counted once, however often they come. */
  update({ analysis, findings, requests }: Pick<OutputBatch, 'analysis' | 'findings' | 'requests'>): void {
    this.#latest = { analysis, findings };
    for (const request of requests) this.#requests.add(request);
  }

  /** Takes the report of another output. */
  delivered(output: string, report: DeliveryReport): void {
    this.#deliveries.add(output, report);
  }

  collect(nowMs: number): ResourceMetrics {
    const times: Times = { startTime: hrTime(this.options.startMs * 1000), endTime: hrTime(nowMs * 1000) };
    const analysed =
      this.#latest === undefined ? [] : analysisFamilies(this.#latest.analysis, this.#latest.findings, nowMs);
    const more = this.options.more?.() ?? [];
    const limited = (list: readonly Family[]) => list.map((family) => this.#limit.apply(family));
    const families = [
      ...limited(analysed).map((family) => this.#growing.apply(family)),
      ...limited([...more, this.#failures(), ...this.#deliveries.families()]),
    ];
    const metrics = [...families, this.#folded()].map((family) => familyData(family, times));
    return {
      resource: this.#resource,
      scopeMetrics: [{ scope: SCOPE, metrics: [...metrics, this.#hopData(times)] }],
    };
  }

  #failures(): Family {
    const help = 'Proxied requests that failed, by source, destination (none: it reached nobody) and cause.';
    return { name: FAILURE_METRIC, help, type: 'counter', unit: '1', samples: this.#requests.failures };
  }

  #folded(): Family {
    const help = 'Label sets beyond the limit of a metric, counted there under other.';
    return { name: 'skewscope_series_folded', help, type: 'gauge', unit: '1', samples: this.#limit.folded() };
  }

  #hopData(times: Times): MetricData {
    const description = "The hop's own time: what the source took beyond the destination.";
    return {
      descriptor: { name: HOP_METRIC, description, unit: 's', valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: this.#requests.hops.map(({ labels, counts, sum, count }) => ({
        ...times,
        attributes: labels,
        value: { buckets: { boundaries: [...HOP_BOUNDARIES], counts: [...counts] }, sum, count },
      })),
    };
  }
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function familyData({ name, help, type, unit, samples }: Family, times: Times): MetricData {
  const common = {
    descriptor: { name, description: help, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPoints: samples.map(({ labels, value }) => ({ ...times, attributes: labels, value })),
  };
  return type === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true }
    : { ...common, dataPointType: DataPointType.GAUGE };
}
