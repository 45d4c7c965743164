/** Writes answers: the headers that all of them carry, entity tags, HEAD, and errors as JSON. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Given: the client may ask whether its copy still holds. */
  readonly etag?: string;
}

/** Nothing of another origin may embed, read or script what is answered, nor learn where the reader came from. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};
const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';

/** Ends the response. A matching If-None-Match makes it 304; HEAD gets the headers alone. */
export function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const { body, etag } = answer;
  setHeaders(response);
  const headers: Record<string, string | number> = {
    ...(etag === undefined ? {} : { etag }),
    ...answer.headers,
  };
  if (etag !== undefined && answer.status === 200 && matches(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  headers['content-type'] = answer.type;
  headers['content-length'] = Buffer.byteLength(body);
  response.writeHead(answer.status, headers);
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** What every answer carries; nobody keeps a copy unless the answer says otherwise. */
export function setHeaders(response: ServerResponse): void {
  response.setHeader('cache-control', 'no-store');
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
}

/** `json` is one text of JSON. */
export function jsonAnswer(json: string): Answer {
  return { status: 200, type: JSON_TYPE, body: json, etag: etagOf(json) };
}

export function textAnswer(status: number, text: string): Answer {
  return { status, type: TEXT_TYPE, body: text };
}

/** What happened, and what to do about it. */
export function errorAnswer(
  status: number,
  error: string,
  advice: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, type: JSON_TYPE, body: `${JSON.stringify({ error, advice })}\n`, headers };
}

export function etagOf(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}
