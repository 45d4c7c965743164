/** The service's own HTTP server: health, metrics, the JSON interface and the page, for people and programs of the place. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopbackHost, type ListenAddress } from '../../config/listen-address.js';
import { type Answer, errorAnswer, send, setHeaders } from '../../http/answer.js';
import { createBearerCheck, unauthorized } from '../../http/bearer.js';
import { refusal } from '../../http/guards.js';
import { type HttpServer, openHttpServer, type ServerTls } from '../../http/http-server.js';
import { HTTP_LIMITS, type HttpLimits } from '../../http/limits.js';
import { type Metrics, prometheusHandler } from '../../outputs/metrics/index.js';
import { type PageFile, readPage } from '../page/files.js';
import type { ServiceView } from '../view.js';
import { apiEndpoints } from './api.js';
import { livez, readyz } from './health.js';

export interface AdminOptions {
  readonly listen: ListenAddress;
  /** Who asks for more than health and the page's own files must show it as a bearer token. */
  readonly token?: string;
  readonly tls?: ServerTls;
  readonly view: ServiceView;
  readonly metrics: Metrics;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onMessage: (message: string) => void;
  readonly limits?: Partial<HttpLimits>;
}

export interface AdminServer {
  /** Of the page, as in `http://127.0.0.1:9465/`. */
  readonly url: string;
  /** Ends within 2 s: no new requests, idle connections closed, running answers finished. */
  close(): Promise<void>;
}

const WHAT = 'the admin page';
const METRICS = '/metrics';
const HEALTH = new Map([
  ['/livez', livez],
  ['/readyz', readyz],
]);

/** Resolves when it listens. Throws Error, with what to do, when address, certificate or the page's files cannot be used. */
export async function openAdmin(options: AdminOptions): Promise<AdminServer> {
  const { listen, token, tls, metrics, now, onMessage, limits = {} } = options;
  const answer = createRoutes(options);
  const scrape = prometheusHandler(metrics, now);
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    try {
      const answered = answer(request);
      if (answered === METRICS) {
        setHeaders(response);
        scrape(request, response);
      } else {
        send(request, response, answered);
      }
    } catch (error) {
      onMessage(`${WHAT} could not answer ${request.url?.split('?', 1)[0]}: ${String(error)}`);
      fail(request, response);
    }
  };
  const server: HttpServer = await openHttpServer({ listen, what: WHAT, tls, handle, onMessage, limits });
  if (token === undefined && tls?.ca === undefined && !isLoopbackHost(listen.host)) {
    onMessage(`${WHAT} at ${server.origin} is open to everyone who reaches it; configure a token to close it`);
  }
  return { url: `${server.origin}/`, close: server.close };
}

function createRoutes({ listen, token, view, limits }: AdminOptions) {
  const guard = { host: listen.host, targetLength: limits?.targetLength ?? HTTP_LIMITS.targetLength };
  const trusts = createBearerCheck(token);
  const page = readPage(token !== undefined);
  const api = apiEndpoints(view);
  return (request: IncomingMessage): Answer | typeof METRICS => {
    const refused = refusal(request, guard);
    if (refused !== undefined) return refused;
    const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s, 2);
    const file = page.get(path);
    if (file !== undefined) return fileAnswer(file);
    const trusted = trusts(request);
    const health = HEALTH.get(path);
    if (health !== undefined) return health(view, { trusted, verbose: new URLSearchParams(query).has('verbose') });
    // What there is, too, is told to those who may read it.
    if (!trusted) return unauthorized(request);
    if (path === METRICS) return METRICS;
    return api.get(path)?.(query) ?? nothingHere([...api.keys()]);
  };
}

/** Names of files do not change with their content: who has one asks whether it still holds. */
function fileAnswer({ type, body, etag }: PageFile): Answer {
  return { status: 200, type, body, etag, headers: { 'cache-control': 'no-cache' } };
}

function nothingHere(paths: readonly string[]): Answer {
  return errorAnswer(
    404,
    'nothing is here',
    `known are /, ${[...HEALTH.keys()].join(', ')}, ${METRICS}, ${paths.join(', ')}`,
  );
}

function fail(request: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  send(request, response, errorAnswer(500, 'the service could not answer', 'its log says why'));
}
