/** Decides by the headers alone whether a body is worth reading. */
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { createBearerCheck } from '../../http/bearer.js';
import { type Answer, noRoom, refused } from './answer.js';
import { tooLarge } from './body.js';
import type { Budget } from './budget.js';
import { type Named, readTarget } from './sender.js';
import type { Tally } from './tally.js';

export interface AdmissionOptions {
  readonly token: string | undefined;
  /** Clients have certificates. */
  readonly certificates: boolean;
  readonly maxBodyBytes: number;
  readonly budget: Budget;
  readonly tally: Tally;
}

export interface Admitted extends Named {
  readonly gzip: boolean;
}

/** Strangers are told nothing but that: the check comes first. */
export function createAdmission(options: AdmissionOptions): (request: IncomingMessage) => Admitted | Answer {
  const { token, certificates, maxBodyBytes, budget, tally } = options;
  const showsToken = createBearerCheck(token);
  return (request) => {
    const { method, headers, socket, url = '/' } = request;
    if (certificates && !(socket instanceof TLSSocket && socket.authorized)) return NO_CERTIFICATE;
    if (!showsToken(request)) return NO_TOKEN;
    if (method !== 'POST') return refused(405, 'audit events are posted here; use POST', { allow: 'POST' });
    const named = readTarget(url);
    if ('status' in named) return named;
    const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
    if (type !== 'application/json') return refused(415, 'send application/json', { accept: 'application/json' });
    const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
    if (encoding !== 'identity' && encoding !== 'gzip') {
      return refused(415, 'send the body as it is, or with gzip', { 'accept-encoding': 'gzip' });
    }
    const length = Number(headers['content-length'] ?? 0);
    if (length > maxBodyBytes) return tooLarge(maxBodyBytes);
    if (!budget.hasRoom(length)) return noRoom(tally.overdue);
    return { ...named, gzip: encoding === 'gzip' };
  };
}

const NO_CERTIFICATE = refused(403, 'a client certificate is needed that the CA of this receiver has signed', {
  connection: 'close',
});
const NO_TOKEN = refused(
  401,
  'a token is needed: put the right one into the kubeconfig of the audit webhook, as token',
  {
    'www-authenticate': 'Bearer realm="skewscope"',
    connection: 'close',
  },
);
