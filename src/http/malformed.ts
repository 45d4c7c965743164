/** Answers what is no HTTP request at all, or does not come to an end, and closes its connection. */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

const ANSWERS: Readonly<Record<string, readonly [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the headers are too large', 'send fewer or shorter ones'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not come to an end in time', 'send it in one go'],
};
const NO_REQUEST = [400, 'this is no HTTP request', 'is https spoken where http is expected?'] as const;

export function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, what, advice] = ANSWERS[error.code ?? ''] ?? NO_REQUEST;
  const body = `${JSON.stringify({ error: what, advice })}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  // A peer that never reads must not keep the socket.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
