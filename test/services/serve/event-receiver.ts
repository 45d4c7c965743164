/** A webhook receiver that writes down the CloudEvents it is told; it can be away. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Told {
  readonly id: string;
  /** `opened`, `updated` or `resolved`. */
  readonly kind: string;
  /** Of the finding, or the group of findings, whatever its state. */
  readonly key: string;
  readonly rule: string;
  readonly atMs: number;
}

export class EventReceiver {
  readonly told: Told[] = [];
  /** Answers 503 while true. */
  away = false;
  /** Requests that were turned away. */
  turnedAway = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<EventReceiver> {
    const server = createServer();
    const receiver = new EventReceiver(server);
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (receiver.away) {
        receiver.turnedAway += 1;
        response.writeHead(503).end();
        return;
      }
      // What an Alertmanager notifies of goes elsewhere, and is of no interest.
      if (request.url === '/') receiver.#take(Buffer.concat(chunks).toString());
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Events that came once more, each with when it came first. */
  get repeated(): Told[] {
    const seen = new Map<string, Told>();
    return this.told.flatMap((one) => {
      const first = seen.get(one.id);
      seen.set(one.id, first ?? one);
      return first ?? [];
    });
  }

  /** Keys of all findings that were ever opened, sorted. */
  get opened(): string[] {
    return [...new Set(this.told.map(({ key }) => key))].sort();
  }

  /** Keys of findings that were opened and not resolved since, sorted. */
  get open(): string[] {
    const open = new Set<string>();
    for (const { kind, key } of this.told) {
      if (kind === 'resolved') open.delete(key);
      else open.add(key);
    }
    return [...open].sort();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(body: string): void {
    const event = JSON.parse(body);
    for (const { id, type, data } of Array.isArray(event) ? event : [event]) {
      this.told.push({
        id,
        kind: String(type).replace('skewscope.finding.', ''),
        key: data.key,
        rule: data.rule,
        atMs: Date.now(),
      });
    }
  }
}
