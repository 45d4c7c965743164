/** The open connections of a server: who stays without asking makes room for those who ask. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  readonly socket: Socket;
  /** Requests that are being answered. */
  running: number;
}

export class ConnectionBook {
  /** In the order in which they last came or were answered. By peer: TLS wraps the socket that a request names. */
  readonly #open = new Map<string, Connection>();
  #ending = false;

  constructor(readonly most: number) {}

  /** Takes a new connection. When there are too many, the one that has been idle longest is closed, or else this one. */
  add(socket: Socket): void {
    const key = keyOf(socket);
    this.#open.set(key, { socket, running: 0 });
    socket.once('close', () => {
      if (this.#open.get(key)?.socket === socket) this.#open.delete(key);
    });
    if (this.#open.size <= this.most) return;
    for (const { socket: other, running } of this.#open.values()) {
      if (running > 0) continue;
      other.destroy();
      return;
    }
  }

  /** Notes a request until its answer has ended; after `answerMs` its connection is closed, whoever is still reading. */
  follow(request: IncomingMessage, response: ServerResponse, answerMs: number): void {
    const key = keyOf(request.socket);
    const connection = this.#open.get(key);
    if (connection === undefined) return;
    connection.running += 1;
    const slow = setTimeout(() => connection.socket.destroy(), answerMs);
    response.once('close', () => {
      clearTimeout(slow);
      connection.running -= 1;
      if (this.#ending) request.socket.destroySoon();
      if (this.#open.get(key) !== connection) return;
      this.#open.delete(key);
      this.#open.set(key, connection);
    });
  }

  /** Closes who waits for nothing now, and the others once they are answered. */
  closeIdle(): void {
    this.#ending = true;
    for (const { socket, running } of [...this.#open.values()]) if (running === 0) socket.destroy();
  }

  closeAll(): void {
    for (const { socket } of [...this.#open.values()]) socket.destroy();
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
