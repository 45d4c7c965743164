/** Serves the program's metrics to Prometheus while a command runs. */
import type { ListenAddress } from '../config/listen-address.js';
import { openHttpServer } from '../http/http-server.js';
import { type Metrics, prometheusHandler } from '../outputs/metrics/index.js';
import { usageFailure } from './failure.js';

export interface MetricsEndpoint {
  /** Where they are, as in `http://127.0.0.1:9464/metrics`. */
  readonly url: string;
  /** Stops listening and ends what is open. */
  close(): Promise<void>;
}

const PATH = '/metrics';
/** Several replicas of a Prometheus, and somebody who looks. */
const LIMITS = { connections: 32, closeMs: 100 };

/** Resolves when it listens. Throws Failure when the address cannot be used. */
export async function openMetricsEndpoint(
  listen: ListenAddress,
  metrics: Metrics,
  now: () => number,
): Promise<MetricsEndpoint> {
  const scrape = prometheusHandler(metrics, now);
  const server = await openHttpServer({
    listen,
    what: 'metrics',
    limits: LIMITS,
    handle: (request, response) => {
      if (request.url?.split('?', 1)[0] === PATH) return scrape(request, response);
      request.resume();
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end(`metrics are at ${PATH}\n`);
    },
  }).catch((error: Error) => {
    throw usageFailure(error.message, error);
  });
  return { url: `${server.origin}${PATH}`, close: server.close };
}
