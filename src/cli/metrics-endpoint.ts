/** Serves the program's metrics to Prometheus while a command runs. */
import { createServer, type Server } from 'node:http';
import type { ListenAddress } from '../config/listen-address.js';
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
const MAX_CONNECTIONS = 32;
const REQUEST_MS = 10_000;

/** Resolves when it listens. Throws Failure when the address cannot be used. */
export async function openMetricsEndpoint(
  { host, port }: ListenAddress,
  metrics: Metrics,
  now: () => number,
): Promise<MetricsEndpoint> {
  const scrape = prometheusHandler(metrics, now);
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    if (request.url?.split('?', 1)[0] === PATH) return scrape(request, response);
    request.resume();
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end(`metrics are at ${PATH}\n`);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const shown = host.includes(':') ? `[${host}]` : host;
  await listening(server, host, port, shown);
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return { url: `http://${shown}:${bound}${PATH}`, close: () => closed(server) };
}

function listening(server: Server, host: string, port: number, shown: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = REASONS[error.code ?? ''] ?? error.message;
      reject(usageFailure(`metrics cannot be served at ${shown}:${port}: ${why}`, error));
    });
    server.listen(port, host, resolve);
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there; give another port',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EACCES: 'the system does not allow it; give a port above 1023',
  ENOTFOUND: 'there is no such host',
};

async function closed(server: Server): Promise<void> {
  const done = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await done;
}
