/** One OTLP message over HTTP, and what the answer means by the rules of the OTLP specification. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { parseRetryAfter } from '../delivery/backoff.js';
import type { SendResult } from '../delivery/sink.js';
import { type PartialSuccess, type Payload, partialSuccess } from './encode.js';
import { safeText } from './safe-text.js';
import type { SignalSettings } from './settings.js';
import type { Tls } from './tls.js';

const MAX_ANSWER = 64 * 1024;
const MAX_WORDS = 200;
/** The codes after which the specification lets a client send again. */
const RETRYABLE = new Set([429, 502, 503, 504]);
const TYPES = { 'http/protobuf': 'application/x-protobuf', 'http/json': 'application/json' } as const;

/** Delivered, with what the receiver rejected of it all the same. */
export type PostResult = SendResult & { readonly partial?: PartialSuccess };

export class Poster {
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(
    readonly settings: SignalSettings,
    tls: Tls,
  ) {
    const options = { keepAlive: true, maxSockets: 4 };
    this.#agent = settings.url.protocol === 'https:' ? new HttpsAgent({ ...options, ...tls }) : new HttpAgent(options);
  }

  /** Tries once; every failure is a result. Ends with the time-out, or soon after the signal is aborted. */
  async post(payload: Payload, signal: AbortSignal): Promise<PostResult> {
    const { timeoutMs } = this.settings;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return meaning(payload, await this.#exchange(payload, AbortSignal.any([signal, timeout])));
    } catch (error) {
      const reason = timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : wordsOf(error);
      return { outcome: 'retry', reason, answered: false };
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #exchange(payload: Payload, signal: AbortSignal): Promise<Answer> {
    const { url, headers, compression } = this.settings;
    const body = compression === 'gzip' ? await promisify(gzip)(payload.body) : payload.body;
    const options = {
      method: 'POST',
      agent: this.#agent,
      signal,
      headers: {
        ...headers,
        'content-type': TYPES[payload.protocol],
        'content-length': body.length,
        'user-agent': 'skewscope',
        ...(compression === 'gzip' ? { 'content-encoding': 'gzip' } : {}),
      },
    };
    return new Promise((resolve, reject) => {
      const make = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const sent = make(url, options, (response) => readAnswer(response).then(resolve, reject));
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_ANSWER) {
      response.destroy();
      break;
    }
  }
  return {
    status: response.statusCode ?? 0,
    type: (response.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    retryAfter: response.headers['retry-after'],
    body: Buffer.concat(chunks).subarray(0, MAX_ANSWER),
  };
}

function meaning(payload: Payload, { status, type, retryAfter, body }: Answer): PostResult {
  if (status >= 200 && status < 300) return accepted(payload, status, type, body);
  const reason = `HTTP ${status}${said(type, body)}`;
  // The specification has other 5xx refused for good, but servers in trouble do not choose their code that well.
  if (!RETRYABLE.has(status) && status < 500 && status !== 408) return { outcome: 'refused', reason };
  const afterMs = parseRetryAfter(retryAfter, Date.now());
  return { outcome: 'retry', reason, answered: true, ...(afterMs === undefined ? {} : { afterMs }) };
}

/** A success is believed when it looks like OTLP: a log-in page answers 200 too. */
function accepted(payload: Payload, status: number, type: string, body: Buffer): PostResult {
  const answer = `HTTP ${status}`;
  if (body.length === 0) return { outcome: 'delivered', answer };
  const foreign: PostResult = {
    outcome: 'retry',
    reason: `${answer}, but the answer is no OTLP (${safeText(type === '' ? 'of no type' : type, 60)}): is the endpoint right?`,
    answered: true,
  };
  if (type !== TYPES[payload.protocol]) return foreign;
  try {
    const partial = partialSuccess(payload, body);
    return { outcome: 'delivered', answer, ...(partial === undefined ? {} : { partial }) };
  } catch {
    return foreign;
  }
}

/** A few words of an error's answer; the protobuf form is a google.rpc.Status, of which the readable parts are shown. */
function said(type: string, body: Buffer): string {
  if (body.length === 0 || type === 'text/html') return '';
  const text = body
    .toString('utf8')
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, ' ')
    .trim();
  return text === '' ? '' : `: ${safeText(text, MAX_WORDS)}`;
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return safeText(String(error), MAX_WORDS);
  // A name with several addresses fails with all their errors and no message of its own.
  const [first] = error instanceof AggregateError ? error.errors : [];
  return safeText(error.message === '' && first instanceof Error ? first.message : error.message, MAX_WORDS);
}
