/** An OTLP receiver that answers as it is told: well, badly, or not at all. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface Taken {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export type Answer = (response: ServerResponse, taken: Taken) => void;

export const takes: Answer = (response) => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();

export function status(code: number, headers: Record<string, string> = {}, body = ''): Answer {
  return (response) => response.writeHead(code, headers).end(body);
}

export const hangs: Answer = () => {};

/** Goes away in the middle of its answer. */
export const dies: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/x-protobuf', 'content-length': '100' });
  response.write('half', () => response.destroy());
};

/** Each request gets the next answer, the last one for ever. */
export async function withReceiver(
  answers: readonly Answer[],
  use: (endpoint: string, taken: readonly Taken[]) => Promise<void>,
): Promise<void> {
  const taken: Taken[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) };
    taken.push(one);
    answers[Math.min(taken.length, answers.length) - 1]?.(response, one);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    await use(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, taken);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
