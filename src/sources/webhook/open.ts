/** Opens the receiver: an HTTP server that strangers cannot exhaust, with or without TLS, whose certificates can be renewed. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ConnectionBook } from '../../http/connection-book.js';
import { listening } from '../../http/listening.js';
import { answerMalformed } from '../../http/malformed.js';
import { Announcer } from './announcer.js';
import { respond, unavailable } from './answer.js';
import { Budget } from './budget.js';
import { checkOptions } from './check-options.js';
import {
  WEBHOOK_LIMITS,
  type WebhookCounters,
  type WebhookLimits,
  type WebhookOptions,
  type WebhookTls,
} from './options.js';
import { createReceive } from './receive.js';
import { Tally } from './tally.js';
import { checkTls, tlsContext } from './tls-context.js';
import { explainTlsFailure } from './tls-failure.js';

export interface Webhook {
  /** As in `https://127.0.0.1:9443`; batches go to `/audit/v1/CLUSTER/SERVER` below it. */
  readonly url: string;
  readonly counters: WebhookCounters;
  /**
   * Takes new certificates; connections that are open end after their next answer. Throws Error, and all stays as it
   * was, when they cannot be used, or when TLS or client certificates would begin or end with it.
   */
  reload(tls: WebhookTls): void;
  /**
   * Listens no more, answers 503 on what is open, and resolves when all that was being received is answered, or after
   * `deadlineMs`. What was not answered is sent again by its sender.
   */
  close(deadlineMs: number): Promise<void>;
}

/**
 * Resolves when it listens. Throws Error, with what to do, when the address, a certificate or a bound cannot be used.
 *
 * HTTP/1.1 alone: an apiserver offers it beside HTTP/2, and what bounds connections, headers and slow bodies here has
 * no equal in Node's HTTP/2.
 */
export async function openWebhook(given: WebhookOptions): Promise<Webhook> {
  const options = checkOptions(given);
  const limits = { ...WEBHOOK_LIMITS, ...options.limits };
  const { listen, tls, now } = options;
  const budget = new Budget(options.maxInFlightBytes);
  const tally = new Tally(budget);
  const announcer = new Announcer(options.onMessage, now);
  const book = new ConnectionBook(limits.connections);
  let stopping = false;
  /** Counts the certificates that there have been. */
  let generation = 0;
  const generations = new WeakMap<Socket, number>();

  const certificates = tls?.clientCa !== undefined;
  const isStopping = () => stopping;
  const receive = createReceive({
    ...options,
    token: options.token,
    certificates,
    budget,
    tally,
    announcer,
    limits,
    isStopping,
  });
  const handle = (request: IncomingMessage, response: ServerResponse, goOn: () => void) => {
    // One that waits behind another on its connection has no socket yet, and would never tell of its end if that closes.
    if (response.socket !== null) {
      book.follow(request, response, limits.requestMs + options.storeTimeoutMs + limits.stallMs);
    }
    let wentOn = false;
    receive(request, () => {
      wentOn = true;
      goOn();
    })
      .catch((error: unknown) => {
        announcer.say('fault', `audit webhook: ${error instanceof Error ? error.stack : String(error)}`);
        return unavailable('a fault in the receiver; try again soon');
      })
      .then((answer) => {
        if (answer === undefined) {
          response.destroy();
          return;
        }
        tally.answered(answer.status);
        // Who waits to be told to go on, and is not, sends no body that could be read.
        const close = !wentOn && request.headers.expect !== undefined;
        const last = stopping || (generations.get(request.socket) ?? generation) < generation;
        respond(request, response, close ? { ...answer, close } : answer, { drainBytes: limits.drainBytes, last });
      });
  };

  const server = create(tls, limits, (request, response) => handle(request, response, () => {}));
  server.on('checkContinue', (request, response) => handle(request, response, () => response.writeContinue()));
  server.on('connection', (socket: Socket) => book.add(socket));
  server.on('secureConnection', (socket: Socket) => generations.set(socket, generation));
  server.on('tlsClientError', (error: Error, socket: TLSSocket) => {
    tally.tlsFailures++;
    const why = explainTlsFailure(error, socket);
    if (why !== undefined) announcer.say('tls', `audit webhook: a client could not connect: ${why}`);
    socket.destroy();
  });
  server.on('clientError', answerMalformed);
  const at = await listening(server, listen, 'the audit webhook');
  server.on('error', (error) => announcer.say('server', `audit webhook at ${at}: ${error.message}`));

  return {
    url: `${tls === undefined ? 'http' : 'https'}://${at}`,
    counters: tally,
    reload(next) {
      if (tls === undefined) throw new Error('the audit webhook speaks no TLS; restart to begin with it');
      if ((next.clientCa !== undefined) !== certificates) {
        throw new Error('client certificates cannot begin or end to be asked for without a restart');
      }
      checkTls(next);
      (server as TlsServer).setSecureContext(tlsContext(next));
      generation++;
    },
    async close(deadlineMs) {
      stopping = true;
      const done = new Promise<void>((resolve) => server.close(() => resolve()));
      book.closeIdle();
      const late = setTimeout(() => book.closeAll(), deadlineMs);
      await done;
      clearTimeout(late);
    },
  };
}

function create(
  tls: WebhookTls | undefined,
  limits: WebhookLimits,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const options = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.checkMs,
  };
  if (tls === undefined) return createServer(options, listener);
  const asks = tls.clientCa !== undefined;
  return createTlsServer(
    {
      ...options,
      ...tlsContext(tls),
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: limits.headersMs,
      requestCert: asks,
      rejectUnauthorized: asks,
    },
    listener,
  );
}
