/** What the tests of the receiver share: bodies, a receiver with a store that behaves as told, and a client. */
import { type Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import {
  openWebhook,
  type Webhook,
  type WebhookBatch,
  type WebhookOptions,
} from '../../../src/sources/webhook/index.js';

export interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** Whether the connection had been used before. */
  readonly reused: boolean;
}

export interface PostOptions extends RequestOptions {
  readonly body?: string | Buffer;
  /** Sends the body without its length. */
  readonly chunked?: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly agent?: Agent | false;
}

/** An EventList as an apiserver writes it; `padding` more bytes in each event. */
export function eventList(count: number, { first = 0, padding = 0, version = 'v1' } = {}): string {
  const items = Array.from({ length: count }, (_, number) => ({
    level: 'Metadata',
    auditID: `id-${first + number}`,
    stage: 'ResponseComplete',
    requestURI: '/api/v1/pods',
    verb: 'list',
    userAgent: 'x'.repeat(padding),
  }));
  return JSON.stringify({ kind: 'EventList', apiVersion: `audit.k8s.io/${version}`, metadata: {}, items });
}

export interface Opened {
  readonly webhook: Webhook;
  readonly stored: WebhookBatch[];
  readonly messages: string[];
}

/** On a free loopback port, closed by whoever opens it. */
export async function open(options: Partial<WebhookOptions> = {}): Promise<Opened> {
  const stored: WebhookBatch[] = [];
  const messages: string[] = [];
  const webhook = await openWebhook({
    listen: { host: '127.0.0.1', port: 0 },
    store: async (batch) => void stored.push(batch),
    onMessage: (text) => messages.push(text),
    now: Date.now,
    ...options,
  });
  return { webhook, stored, messages };
}

/** Rejects with what the connection failed with. */
export function post(url: string, { body = '', chunked = false, ...options }: PostOptions = {}): Promise<Answered> {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const headers = {
    'content-type': 'application/json',
    ...(chunked ? {} : { 'content-length': bytes.length }),
    ...options.headers,
  };
  return new Promise((resolve, reject) => {
    const request = send(url, { method: 'POST', agent: false, ...options, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
          reused: request.reusedSocket,
        }),
      );
    });
    request.on('error', reject);
    request.end(bytes);
  });
}

/** A promise and the means to end it. */
export function gate(): { readonly passed: Promise<void>; pass(): void; fail(error: Error): void } {
  let pass = () => {};
  let fail = (_error: Error) => {};
  const passed = new Promise<void>((resolve, reject) => {
    pass = resolve;
    fail = reject;
  });
  return { passed, pass, fail };
}
