/** A sink that posts one body to one or several places over HTTP. */
import { NoAnswer } from '../delivery/attempt.js';
import type { Clock } from '../delivery/clock.js';
import { judgeAnswer } from '../delivery/http-answer.js';
import { type HttpAnswer, HttpClient, type HttpClientOptions, HttpFailure } from '../delivery/http-client.js';
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
  /** Why an answer of success cannot come from such a receiver; '' when it can. */
  doubt?(answer: HttpAnswer): string;
  /** What is sent now. */
  render(notices: readonly Notice[], nowMs: number): HttpBody;
  /** Told when it was taken. */
  delivered?(notices: readonly Notice[]): void;
  /** The same without secrets, for the file of what was turned down; what is sent unless given. */
  payload?(notice: Notice): string;
}

interface Sending extends HttpBody {
  readonly signal: AbortSignal;
  readonly options: HttpSinkOptions;
  readonly clean: (text: string) => string;
}

/** Once one replica has the message, the others get so long to answer. */
const OTHERS_MS = 2_000;
const NOT_WAITED_FOR = 'no answer, and another replica has it';

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
      const enough = new AbortController();
      const sending = { body, headers, signal: AbortSignal.any([signal, enough.signal]), options, clean };
      const several = clients.length > 1;
      const done = new AbortController();
      const results = await Promise.all(
        clients.map(async (client) => {
          // Which of several it was has to be said; the only one is in the name.
          const result = await post(client, several ? client.host : '', sending);
          if (several && result.outcome === 'delivered') {
            void options.clock.sleep(OTHERS_MS, done.signal).then(() => enough.abort(new NoAnswer(NOT_WAITED_FOR)));
          }
          return result;
        }),
      );
      done.abort();
      const result = together(results);
      if (result.outcome === 'delivered') options.delivered?.(notices);
      return result;
    },
    async close() {
      for (const client of clients) client.close();
    },
  };
}

async function post(client: HttpClient, host: string, sending: Sending): Promise<SendResult> {
  const { body, headers, signal, options, clean } = sending;
  try {
    const answer = await client.post(body, headers, signal);
    const result = judgeAnswer({ ...answer, body: clean(answer.body) }, host, options.clock.now());
    const doubt = result.outcome === 'delivered' ? (options.doubt?.(answer) ?? '') : '';
    if (doubt === '') return result;
    return {
      outcome: 'retry',
      reason: `${host === '' ? '' : `${host}: `}HTTP ${answer.status}, but ${doubt}`,
      answered: false,
    };
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    return { outcome: 'retry', reason: host === '' ? error.message : `${host}: ${error.message}`, answered: false };
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
