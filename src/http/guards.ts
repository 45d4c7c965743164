/** What is refused before any endpoint sees it: strange methods, hosts, targets and bodies. */
import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../config/listen-address.js';
import { type Answer, errorAnswer } from './answer.js';

export interface GuardOptions {
  /** The host that is listened to, as configured. */
  readonly host: string;
  readonly targetLength: number;
}

/** The answer to a request that goes no further; undefined when it may. */
export function refusal(request: IncomingMessage, { host, targetLength }: GuardOptions): Answer | undefined {
  const { method, url = '', headers } = request;
  if (url.length > targetLength) {
    const advice = `send at most ${targetLength} characters of path and query`;
    return errorAnswer(414, 'the address is too long', advice, { connection: 'close' });
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return errorAnswer(405, 'this method is not served', 'nothing can be changed here; use GET or HEAD', {
      allow: 'GET, HEAD',
      connection: 'close',
    });
  }
  if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0') {
    return errorAnswer(413, 'the request has a body', 'send it without one', { connection: 'close' });
  }
  if (isLoopbackHost(host) && !isOwnName(headers.host ?? '', host)) return strangeHost(host);
  return undefined;
}

/**
 * A page of another site can make its name resolve to this machine and then read what is served here as its own; the
 * Host header tells. The port does not matter: a forwarded one differs.
 */
function isOwnName(header: string, host: string): boolean {
  const [, name] = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.exec(header.toLowerCase()) ?? [];
  if (name === undefined) return false;
  const bare = name.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return bare === host.toLowerCase() || isLoopbackHost(bare) || bare.endsWith('.localhost');
}

function strangeHost(host: string): Answer {
  const advice = `ask for localhost or ${host}; to be reached by another name, listen on an address that is not loopback`;
  return errorAnswer(421, 'this name is not served here', advice);
}
