/** An HTTP server on loopback that behaves as badly as a test wants. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Behaviour = (request: Request, response: ServerResponse, count: number) => void;

/** Plain HTTP unless given. */
export type MakeServer = (listener: RequestListener) => Server;

export class Receiver {
  readonly requests: Request[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(
    readonly server: Server,
    public behaviour: Behaviour,
  ) {}

  static async start(behaviour: Behaviour = answer(200), port = 0, make: MakeServer = createServer): Promise<Receiver> {
    const server = make((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const seen = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
        receiver.requests.push(seen);
        receiver.behaviour(seen, response, receiver.requests.length);
      });
      request.on('error', () => {});
    });
    const receiver = new Receiver(server, behaviour);
    server.on('connection', (socket: Socket) => {
      receiver.#sockets.add(socket);
      socket.on('close', () => receiver.#sockets.delete(socket));
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

export function answer(status: number, body = '', headers: Record<string, string> = {}): Behaviour {
  return (_request, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

export const HANG: Behaviour = () => {};
export const HANG_IN_BODY: Behaviour = (_request, response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('half');
};
export const CLOSE: Behaviour = (_request, response) => void response.socket?.destroy();
export const CLOSE_HALFWAY: Behaviour = (_request, response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('half', () => response.socket?.destroy());
};
export const GARBAGE: Behaviour = (_request, response) =>
  void response.socket?.end('\u0000\u0001 this is no HTTP\r\n\r\n');
export const HUGE: Behaviour = (_request, response) => {
  response.writeHead(500);
  const piece = Buffer.alloc(64 * 1024, 'x');
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', more);
  response.on('error', () => {});
  more();
};
export const HUGE_HEADER: Behaviour = (_request, response) => {
  response.socket?.end(`HTTP/1.1 200 OK\r\nx-much: ${'y'.repeat(64 * 1024)}\r\ncontent-length: 0\r\n\r\n`);
};
