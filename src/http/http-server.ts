/** An HTTP server that strangers cannot exhaust: bounded connections, sizes and times, and an end within a deadline. */
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { ListenAddress } from '../config/listen-address.js';
import { ConnectionBook } from './connection-book.js';
import { HTTP_LIMITS, type HttpLimits } from './limits.js';
import { listening } from './listening.js';
import { answerMalformed } from './malformed.js';

export interface HttpServerOptions {
  readonly listen: ListenAddress;
  /** What is served, for messages: `metrics`, `the admin page`. */
  readonly what: string;
  readonly tls?: ServerTls | undefined;
  /** Must answer soon; never throws. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  readonly onMessage?: (message: string) => void;
  readonly limits?: Partial<HttpLimits>;
}

/** PEM texts. With `ca`, clients need a certificate that it has signed. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
}

export interface HttpServer {
  /** As in `http://127.0.0.1:9464`. */
  readonly origin: string;
  /** Takes no more requests, closes idle connections at once, and lets answers that are under way end within 2 s. */
  close(): Promise<void>;
}

/** Resolves when it listens. Throws Error, with what to do, when the address or the certificate cannot be used. */
export async function openHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { listen, what, tls, handle, onMessage = () => {} } = options;
  const limits = { ...HTTP_LIMITS, ...options.limits };
  const book = new ConnectionBook(limits.connections);
  let closing = false;
  const server = create(limits, tls, what, (request, response) => {
    book.follow(request, response, limits.answerMs);
    if (closing) response.setHeader('connection', 'close');
    handle(request, response);
  });
  server.on('connection', (socket) => book.add(socket));
  server.on('clientError', answerMalformed);
  const at = await listening(server, listen, what);
  // Such as too many open files: the next connection may succeed.
  server.on('error', (error) => onMessage(`${what} at ${at}: ${error.message}`));
  const close = async () => {
    closing = true;
    const done = new Promise<void>((resolve) => server.close(() => resolve()));
    book.closeIdle();
    const late = setTimeout(() => book.closeAll(), limits.closeMs);
    await done;
    clearTimeout(late);
  };
  return { origin: `${tls === undefined ? 'http' : 'https'}://${at}`, close };
}

function create(
  limits: HttpLimits,
  tls: ServerTls | undefined,
  what: string,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const options: ServerOptions = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.requestMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(1_000, limits.requestMs),
    requireHostHeader: true,
  };
  if (tls === undefined) return createServer(options, handle);
  const authority = tls.ca === undefined ? {} : { ca: tls.ca, requestCert: true, rejectUnauthorized: true };
  const secrets = { cert: tls.cert, key: tls.key, ...authority };
  try {
    return createTlsServer({ ...options, ...secrets, handshakeTimeout: limits.requestMs }, handle);
  } catch {
    // Without its cause: what OpenSSL says may quote the key.
    throw new Error(`${what} cannot be served: certificate, key or CA is no PEM, or they do not belong together`);
  }
}
