/**
 * What a sender is told. An apiserver (client-go and its audit webhook, 1.36) tries a batch again after ANY answer but
 * 2xx, 4xx included: five times, 10 s, 15 s, 22 s and 34 s apart; then the batch is lost, and its log holds our text.
 * Retry-After on 429 and 5xx makes each of the five times up to eleven, within the 30 s that one may take. So three
 * seconds keep a batch alive for about 230 s of outage where none would give up after 81 s.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Answer {
  readonly status: number;
  /** One line: what happened and what to do. */
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The connection ends with it at once, whatever the sender is still sending. */
  readonly close?: boolean;
}

/** Room comes as soon as something has been stored. */
const SOON = '1';
/** Eleven of these are the 30 s of one attempt. */
const LATER = '3';

export const taken: Answer = { status: 200, text: '' };

export function refused(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, text, headers };
}

export function slowDown(text: string): Answer {
  return refused(429, text, { 'retry-after': SOON });
}

export function unavailable(text: string): Answer {
  return refused(503, text, { 'retry-after': LATER });
}

/**
 * Sends it. A body that is still coming is read on, up to `drainBytes`, before the answer ends: a connection that is
 * closed while the sender writes makes it see a broken pipe instead of the answer. `last`: the connection closes then.
 */
export function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  { drainBytes, last }: { readonly drainBytes: number; readonly last: boolean },
): void {
  if (response.destroyed || response.headersSent) return;
  const body = answer.text === '' ? '' : `${answer.text}\n`;
  response.writeHead(answer.status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...answer.headers,
    ...(last || answer.close === true ? { connection: 'close' } : {}),
  });
  if (request.complete || answer.close === true) response.end(body);
  else drain(request, response, body, drainBytes);
}

function drain(request: IncomingMessage, response: ServerResponse, body: string, most: number): void {
  let bytes = 0;
  response.write(body);
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > most) request.destroy();
  });
  request.once('end', () => response.end());
  request.resume();
}
