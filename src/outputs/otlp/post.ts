/** One OTLP message over HTTP, and what the answer means. */
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { NO_ANSWER_YET, noAnswerWithin } from '../delivery/attempt.js';
import { judgeAnswer } from '../delivery/http-answer.js';
import { failureWords } from '../delivery/http-client.js';
import type { SendResult } from '../delivery/sink.js';
import { type Way, wayTo } from '../delivery/way.js';
import { type Payload, partialSuccess } from './encode.js';
import { safeText } from './safe-text.js';
import type { Protocol, SignalSettings } from './settings.js';
import type { Signal } from './signal.js';
import type { Tls } from './tls.js';

const MAX_ANSWER = 64 * 1024;
const MAX_WORDS = 200;
const TYPES = { 'http/protobuf': 'application/x-protobuf', 'http/json': 'application/json' } as const;

export class Poster {
  readonly #way: Way;
  /** Values of headers: whatever a receiver echoes, they do not come back in a reason. */
  readonly #secrets: readonly string[];
  /** Of the receiver, for people; '' when they know. */
  readonly #host: string;

  /** `knownHost`: what is said of the receiver is said under this name, so reasons leave it out. */
  constructor(
    readonly settings: SignalSettings,
    tls: Tls,
    knownHost = '',
  ) {
    const { host } = settings.url;
    this.#host = host === knownHost ? '' : host;
    this.#way = wayTo(settings.url, tls, settings.proxy, { keepAlive: true, maxSockets: 4 });
    this.#secrets = Object.values(settings.headers)
      .flatMap((value) => [value, value.replace(/^\S+ /, '')])
      .filter((value) => value.length > 3);
  }

  /** Tries once; every failure is a result. Ends with the time-out, or soon after the signal is aborted. */
  async post(payload: Payload, signal: AbortSignal): Promise<SendResult> {
    const { timeoutMs } = this.settings;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await this.#exchange(payload, AbortSignal.any([signal, timeout]));
      return this.#clean(meaning(payload, this.#host, { ...answer, body: this.#cleanError(answer) }));
    } catch (error) {
      const late = timeout.aborted ? noAnswerWithin(timeoutMs) : signal.aborted ? NO_ANSWER_YET : '';
      const words = late === '' ? failureWords(error, this.#way) : late;
      return { outcome: 'retry', reason: `${prefix(this.#host)}${safeText(words, MAX_WORDS)}`, answered: false };
    }
  }

  get protocol(): Protocol {
    return this.settings.protocol;
  }

  close(): void {
    this.#way.close();
  }

  /** Before it is cut, so that no half of a secret stays. */
  #cleanError({ status, body }: Answer): Buffer {
    if (status >= 200 && status < 300) return body;
    return Buffer.from(this.#without(body.toString('latin1')), 'latin1');
  }

  #clean(result: SendResult): SendResult {
    if (result.outcome !== 'delivered') return { ...result, reason: this.#without(result.reason) };
    const { partial } = result;
    return partial === undefined
      ? result
      : { ...result, partial: { ...partial, message: this.#without(partial.message) } };
  }

  #without(text: string): string {
    return this.#secrets.reduce((words, secret) => words.replaceAll(secret, '***'), text);
  }

  async #exchange(payload: Payload, signal: AbortSignal): Promise<Answer> {
    const { url, headers, compression } = this.settings;
    const body = compression === 'gzip' ? await promisify(gzip)(payload.body) : payload.body;
    const options = {
      ...this.#way.options,
      method: 'POST',
      signal,
      headers: {
        ...this.#way.headers,
        ...headers,
        'content-type': TYPES[payload.protocol],
        'content-length': body.length,
        'user-agent': 'skewscope',
        ...(compression === 'gzip' ? { 'content-encoding': 'gzip' } : {}),
      },
    };
    return new Promise((resolve, reject) => {
      const sent = this.#way.request(url, options, (response) => readAnswer(response).then(resolve, reject));
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

function meaning(payload: Payload, host: string, { status, type, retryAfter, body }: Answer): SendResult {
  if (status >= 200 && status < 300) return accepted(payload, status, type, body);
  if (status === 404)
    return { outcome: 'refused', absent: true, reason: `${prefix(host)}HTTP 404; ${missing(payload.signal)}` };
  return judgeAnswer({ status, retryAfter, body: readable(type, body) }, host, Date.now());
}

function prefix(host: string): string {
  return host === '' ? '' : `${host}: `;
}

/** A collector answers so for signals that it has no pipeline for. */
function missing(signal: Signal): string {
  const variable = `OTEL_${signal.toUpperCase()}_EXPORTER=none`;
  return `it has no pipeline for ${signal}, or the path is wrong; outputs.otlp.${signal}: false or ${variable} leaves them out`;
}

/** A success is believed when it looks like OTLP: a log-in page answers 200 too. */
function accepted(payload: Payload, status: number, type: string, body: Buffer): SendResult {
  const answer = `HTTP ${status}`;
  if (body.length === 0) return { outcome: 'delivered', answer };
  const foreign: SendResult = {
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

/** The words of an error's answer: those of a page are of no use, and protobuf has readable parts. */
function readable(type: string, body: Buffer): string {
  if (type === 'text/html') return '';
  const words = body.toString('utf8').replace(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, ' ');
  return safeText(words.trim(), MAX_WORDS);
}
