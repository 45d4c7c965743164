/** A sink that posts one body to one or several places over HTTP. */
import type { Clock } from '../delivery/clock.js';
import { judgeAnswer } from '../delivery/http-answer.js';
import { HttpClient, type HttpClientOptions, HttpFailure } from '../delivery/http-client.js';
import type { Notice } from '../delivery/notice.js';
import type { SendResult, Sink } from '../delivery/sink.js';

export interface HttpBody {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface HttpSinkOptions {
  readonly name: string;
  /** Several are replicas of one receiver: it has the message when one of them has. */
  readonly targets: readonly HttpClientOptions[];
  readonly batch: number;
  readonly remindMs?: number;
  readonly clock: Clock;
  /** Texts that must not come back in a reason, whatever the receiver echoes. */
  readonly secrets: readonly string[];
  /** What is sent now. */
  render(notices: readonly Notice[], nowMs: number): HttpBody;
  /** The same without secrets, for the file of what was turned down; what is sent unless given. */
  payload?(notice: Notice): string;
}

export function createHttpSink(options: HttpSinkOptions): Sink {
  const clients = options.targets.map((target) => new HttpClient(target));
  const secrets = options.secrets.filter((secret) => secret.length > 3);
  const clean = (text: string) => secrets.reduce((words, secret) => words.replaceAll(secret, '***'), text);
  return {
    name: `${options.name} ${clients.map(({ host }) => host).join(', ')}`,
    batch: options.batch,
    ...(options.remindMs === undefined ? {} : { remindMs: options.remindMs }),
    payload: (notice) => options.payload?.(notice) ?? options.render([notice], notice.atMs).body,
    async send(notices, signal) {
      const { body, headers } = options.render(notices, options.clock.now());
      const results = await Promise.all(
        clients.map((client) => post(client, body, headers, options.clock.now(), clean, signal)),
      );
      return together(results);
    },
    async close() {
      for (const client of clients) client.close();
    },
  };
}

async function post(
  client: HttpClient,
  body: string,
  headers: Readonly<Record<string, string>>,
  nowMs: number,
  clean: (text: string) => string,
  signal: AbortSignal,
): Promise<SendResult> {
  try {
    const answer = await client.post(body, headers, signal);
    return judgeAnswer({ ...answer, body: clean(answer.body) }, client.host, nowMs);
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    return { outcome: 'retry', reason: error.message, answered: false };
  }
}

/** One replica that took it is enough: they tell each other, or hear of it with the next reminder. */
function together(results: readonly SendResult[]): SendResult {
  const words = results.map((result) => (result.outcome === 'delivered' ? result.answer : result.reason)).join('; ');
  if (results.some(({ outcome }) => outcome === 'delivered')) return { outcome: 'delivered', answer: words };
  const retries = results.flatMap((result) => (result.outcome === 'retry' ? [result] : []));
  const [first] = retries;
  if (first === undefined) return { outcome: 'refused', reason: words };
  const soonest = Math.min(...retries.map(({ afterMs }) => afterMs ?? 0));
  return {
    outcome: 'retry',
    reason: words,
    answered: retries.every(({ answered }) => answered),
    ...(soonest > 0 ? { afterMs: soonest } : {}),
  };
}
