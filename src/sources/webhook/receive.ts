/** The way of one request: admitted by its headers, read, checked, stored, and only then answered. */
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { createAdmission } from './admission.js';
import { type Answer, unavailable } from './answer.js';
import { readBody } from './body.js';
import type { Budget } from './budget.js';
import type { WebhookLimits, WebhookOptions } from './options.js';
import { addressName, isName, type Named } from './sender.js';
import { type SettleOptions, settle } from './settle.js';
import { SharedNames } from './shared-names.js';

export interface ReceiveOptions extends SettleOptions, Pick<WebhookOptions, 'now'> {
  readonly token: string | undefined;
  readonly certificates: boolean;
  readonly maxBodyBytes: number;
  readonly budget: Budget;
  readonly limits: WebhookLimits;
  readonly isStopping: () => boolean;
}

/**
 * Gives the answer; undefined when nobody waits for one. `goOn` is called before the body is read, for senders that
 * wait to be told. Never rejects.
 */
export function createReceive(
  options: ReceiveOptions,
): (request: IncomingMessage, goOn: () => void) => Promise<Answer | undefined> {
  const { budget, tally, announcer, now } = options;
  const admit = createAdmission(options);
  const names = new SharedNames((name) =>
    announcer.say(
      'shared',
      `audit webhook: several addresses show the client certificate of ${name}, so it names no server; give each ` +
        'apiserver a certificate of its own, or its name in the URL: /audit/v1/CLUSTER/SERVER',
    ),
  );

  const announce = ({ socket }: IncomingMessage, { status, text }: Answer) => {
    // Not what passes by itself, and not the probes of those who only look.
    if (status === 405 || status === 429 || status === 503) return;
    announcer.say(
      `refused ${status}`,
      `audit webhook: ${addressName(socket.remoteAddress)} was answered ${status}: ${text}`,
    );
  };

  return async (request, goOn) => {
    tally.requests++;
    const admitted = admit(request);
    if ('status' in admitted) {
      announce(request, admitted);
      return admitted;
    }
    if (options.isStopping()) return unavailable('shutting down; try again soon');
    // Now, as a connection that has ended tells no address any more.
    const server = serverOf(request, admitted, names, now());
    goOn();
    const hold = budget.open();
    const body = await readBody(request, { ...options, gzip: admitted.gzip, hold, maxBytes: options.maxBodyBytes });
    if (body === undefined || 'status' in body) {
      hold.release();
      if (body === undefined) tally.aborted++;
      else announce(request, body);
      return body;
    }
    return settle({ body, server, cluster: admitted.cluster, receivedMs: now() }, hold, options);
  };
}

function serverOf({ socket }: IncomingMessage, named: Named, names: SharedNames, nowMs: number): string {
  if (named.server !== '') return named.server;
  const address = addressName(socket.remoteAddress);
  const certificate = 'getPeerCertificate' in socket ? (socket as TLSSocket).getPeerCertificate() : undefined;
  // A subject that says CN twice gives a list.
  const name: unknown = certificate?.subject?.CN;
  return typeof name === 'string' && isName(name) && names.isOwn(name, address, nowMs) ? name : address;
}
