/** What an HTTP answer means for a message: taken, to be tried again, or turned down. */
import { parseRetryAfter } from './backoff.js';
import type { HttpAnswer } from './http-client.js';
import type { SendResult } from './sink.js';

const MAX_QUOTE = 160;

/** `host`: who answered, for people; '' when they know. */
export function judgeAnswer(
  answer: Pick<HttpAnswer, 'status' | 'retryAfter' | 'body'>,
  host: string,
  nowMs: number,
): SendResult {
  const { status } = answer;
  const said = answer.body.trim();
  const quote = said === '' ? '' : `: ${said.slice(0, MAX_QUOTE)}`;
  const words = `${host === '' ? '' : `${host}: `}HTTP ${status}`;
  if (status >= 200 && status < 300) return { outcome: 'delivered', answer: words };
  if (status === 408 || status === 429 || status >= 500) {
    const afterMs = parseRetryAfter(answer.retryAfter, nowMs);
    const asked = afterMs === undefined ? '' : ` (asks to wait ${Math.ceil(afterMs / 1000)} s)`;
    return {
      outcome: 'retry',
      reason: `${words}${asked}${quote}`,
      answered: status >= 500,
      ...(afterMs === undefined ? {} : { afterMs }),
    };
  }
  const advice =
    ADVICE[status] ?? (status >= 300 && status < 400 ? '; redirects are not followed, give the final URL' : '');
  return { outcome: 'refused', reason: `${words}${advice}${quote}` };
}

const ADVICE: Readonly<Record<number, string>> = {
  401: '; the credentials are missing or wrong',
  403: '; the credentials may not do this',
  404: '; check the path of the URL',
};
