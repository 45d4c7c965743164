/** The metrics in the text form that Prometheus scrapes. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { MetricData, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { Metrics } from './metrics.js';

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
/** No prefix, no time stamps, no resource as labels, neither target nor scope as metrics. */
const SERIALIZER = new PrometheusSerializer(undefined, false, undefined, true, true);

export function prometheusText(metrics: ResourceMetrics): string {
  const scopes = metrics.scopeMetrics.map(({ scope, metrics: all }) => ({ scope, metrics: all.map(withoutUnit) }));
  return SERIALIZER.serialize({ ...metrics, scopeMetrics: scopes });
}

/**
 * For the path that is scraped; listens to nothing itself.
 *
 * @example createServer((request, response) => handler(request, response)).listen(9464)
 */
export function prometheusHandler(
  metrics: Metrics,
  now: () => number = Date.now,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    request.resume();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    const text = prometheusText(metrics.collect(now()));
    response.writeHead(200, { 'content-type': CONTENT_TYPE, 'content-length': Buffer.byteLength(text) });
    response.end(request.method === 'HEAD' ? undefined : text);
  };
}

/** The names hold their unit already, and this text form knows no line for it. */
function withoutUnit(data: MetricData): MetricData {
  return { ...data, descriptor: { ...data.descriptor, unit: '' } };
}
