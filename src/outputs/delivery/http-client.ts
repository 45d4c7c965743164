/** A small HTTP client: posts to one place, bounded in what it reads, follows no redirect, tells failures in words. */
import type { IncomingMessage } from 'node:http';
import { NoAnswer } from './attempt.js';
import { explainNetworkError } from './network-errors.js';
import { type Way, wayTo } from './way.js';

/** PEM texts. */
export interface TlsOptions {
  /** In place of the system's authorities. */
  readonly ca?: string;
  /** Client certificate and its key. */
  readonly cert?: string;
  readonly key?: string;
  /** Name that the server's certificate must hold, when it is not that of the URL. */
  readonly serverName?: string;
}

export interface HttpClientOptions {
  /** http or https; user and password in it become an Authorization header. */
  readonly url: string;
  /** Sent with every request; they may hold secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly tls?: TlsOptions;
  /** By way of which it is reached; user and password in it are its own. */
  readonly proxy?: URL;
}

export interface HttpAnswer {
  readonly status: number;
  /** Media type in lower case, without parameters; '' when there is none. */
  readonly type: string;
  readonly retryAfter: string | undefined;
  /** The beginning of the body; bytes that are no UTF-8 are replaced. */
  readonly body: string;
}

/** Nothing usable came back; `message` says what happened, without secrets. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
}

const KEPT_BYTES = 2 * 1024;
/** An answer is read up to here; the connection of a longer one is closed. */
const MAX_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;

export class HttpClient {
  /** `host:port`: all of the URL that may be shown. */
  readonly host: string;
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #way: Way;

  constructor({ url, headers = {}, tls = {}, proxy }: HttpClientOptions) {
    this.#url = new URL(url);
    const { protocol, hostname, port, username, password } = this.#url;
    this.host = `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
    const basic = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const authorization = { authorization: `Basic ${Buffer.from(basic).toString('base64')}` };
    this.#headers = { ...(username === '' && password === '' ? {} : authorization), ...headers };
    this.#url.username = '';
    this.#url.password = '';
    const { serverName, ...pem } = tls;
    const options = { keepAlive: true, maxSockets: 4, timeout: 60_000 };
    const named = { ...pem, ...(serverName === undefined ? {} : { servername: serverName }) };
    this.#way = wayTo(this.#url, named, proxy, options);
  }

  /** Throws HttpFailure when there is no whole answer, whatever its status; that of an aborted signal too. */
  async post(body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HttpAnswer> {
    const bytes = Buffer.from(body);
    const own = { 'user-agent': 'skewscope', ...this.#headers, ...headers, 'content-length': String(bytes.length) };
    const options = {
      ...this.#way.options,
      method: 'POST',
      signal,
      maxHeaderSize: MAX_HEADER_BYTES,
      headers: { ...this.#way.headers, ...own },
    };
    try {
      return await new Promise<HttpAnswer>((resolve, reject) => {
        const request = this.#way.request(this.#url, options, (response) => readAnswer(response).then(resolve, reject));
        request.on('error', reject);
        request.end(bytes);
      });
    } catch (error) {
      // Without its cause: that may hold what was received, of any size.
      const { reason }: { readonly reason: unknown } = signal;
      throw new HttpFailure(failureWords(reason instanceof NoAnswer ? reason : error, this.#way));
    }
  }

  close(): void {
    this.#way.close();
  }
}

/** Who does not answer may be the proxy. */
export function failureWords(error: unknown, { proxy }: Pick<Way, 'proxy'>): string {
  const words = explainNetworkError(error);
  return proxy === '' ? words : `by way of the proxy ${proxy}: ${words}`;
}

async function readAnswer(response: IncomingMessage): Promise<HttpAnswer> {
  const kept: Buffer[] = [];
  let length = 0;
  // Leaving the loop early closes the connection: the status is known, the rest is of no use.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (length < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - length));
    length += chunk.length;
    if (length > MAX_BYTES) break;
  }
  return {
    status: response.statusCode ?? 0,
    type: (response.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    retryAfter: response.headers['retry-after'],
    body: Buffer.concat(kept).toString('utf8'),
  };
}
