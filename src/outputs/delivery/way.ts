/** How requests travel to one address: directly, or by way of a proxy, through a tunnel where TLS is spoken. */
import {
  type ClientRequest,
  Agent as HttpAgent,
  type AgentOptions as HttpAgentOptions,
  request as httpRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

export interface Way {
  readonly request: typeof httpRequest;
  /** Of each request. */
  readonly options: RequestOptions;
  /** Before all others. */
  readonly headers: Readonly<Record<string, string>>;
  /** `host:port` of the proxy; '' without one. */
  readonly proxy: string;
  close(): void;
}

/** `tls`: of the address itself. */
export function wayTo(url: URL, tls: ConnectionOptions, proxy: URL | undefined, options: HttpAgentOptions): Way {
  const secure = url.protocol === 'https:';
  if (proxy === undefined) {
    const agent = secure ? new HttpsAgent({ ...options, ...tls }) : new HttpAgent(options);
    return {
      request: secure ? httpsRequest : httpRequest,
      options: { agent },
      headers: {},
      proxy: '',
      close: () => agent.destroy(),
    };
  }
  const name = `${proxy.hostname}:${portOf(proxy)}`;
  if (secure) {
    const agent = new TunnelAgent(proxy, { ...options, ...tls });
    return { request: httpsRequest, options: { agent }, headers: {}, proxy: name, close: () => agent.destroy() };
  }
  const safe = proxy.protocol === 'https:';
  const agent = safe ? new HttpsAgent(options) : new HttpAgent(options);
  return {
    request: safe ? httpsRequest : httpRequest,
    options: { agent, protocol: proxy.protocol, hostname: bare(proxy), port: portOf(proxy), path: url.href },
    headers: { host: url.host, ...authorization(proxy) },
    proxy: name,
    close: () => agent.destroy(),
  };
}

const CONNECT_MS = 10_000;

/** Asks the proxy for a connection to the address, and speaks TLS with the address through it. */
class TunnelAgent extends HttpsAgent {
  readonly #asking = new Set<ClientRequest>();

  constructor(
    readonly proxy: URL,
    options: HttpAgentOptions & ConnectionOptions,
  ) {
    super(options);
  }

  override createConnection(
    options: RequestOptions & ConnectionOptions,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const { host, port } = options;
    const target = `${host?.includes(':') ? `[${host}]` : host}:${port}`;
    const ask = this.proxy.protocol === 'https:' ? httpsRequest : httpRequest;
    const asked = ask({
      method: 'CONNECT',
      hostname: bare(this.proxy),
      port: portOf(this.proxy),
      path: target,
      headers: { host: target, ...authorization(this.proxy) },
      agent: false,
      timeout: CONNECT_MS,
    });
    this.#asking.add(asked);
    // What fails is told by the error alone.
    const fail = (error: Error) => (callback as ((error: Error) => void) | undefined)?.(error);
    asked.on('timeout', () => asked.destroy(new Error('the proxy does not answer')));
    asked.on('error', fail);
    asked.on('close', () => this.#asking.delete(asked));
    asked.on('connect', ({ statusCode = 0 }, socket) => {
      if (statusCode >= 200 && statusCode < 300) return callback?.(null, connectTls({ ...options, socket }));
      socket.destroy();
      const hint = statusCode === 407 ? '; it wants credentials, as in http://USER:PASSWORD@HOST:PORT' : '';
      fail(new Error(`the proxy answers HTTP ${statusCode} when asked for a connection${hint}`));
    });
    asked.end();
    return undefined;
  }

  override destroy(): void {
    for (const asked of this.#asking) asked.destroy();
    super.destroy();
  }
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` };
}

function bare({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}
