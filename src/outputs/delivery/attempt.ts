/** One attempt to send, bounded in time, whatever the sink does. */
import { errorText } from '../../model/error-text.js';
import { escapeProse } from '../../report/text/escape.js';
import { cut } from './bound.js';
import type { Clock } from './clock.js';
import type { Notice } from './notice.js';
import type { SendResult, Sink } from './sink.js';

const MAX_REASON = 300;
/** For a sink to tell what it knows of one of several receivers, once it was broken off. */
const GRACE_MS = 500;

/** Of an attempt that goes on, or was broken off before its time was up. */
export const NO_ANSWER_YET = 'the receiver has not answered yet';

/** Why an attempt was broken off: sinks that know which receiver it was say so in these words. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export function noAnswerWithin(ms: number): string {
  return `no answer within ${ms / 1000} s`;
}

/** A failure is a result. Ends soon after the timeout at the latest, or when the signal is aborted. */
export async function attempt(
  sink: Sink,
  notices: readonly Notice[],
  timeoutMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<SendResult> {
  const ending = new AbortController();
  const over = new AbortController();
  const sending = AbortSignal.any([signal, ending.signal]);
  const waiting = AbortSignal.any([signal, over.signal]);
  const late = clock.sleep(timeoutMs, waiting).then(async (): Promise<SendResult> => {
    if (waiting.aborted) return retry(NO_ANSWER_YET);
    const words = noAnswerWithin(timeoutMs);
    ending.abort(new NoAnswer(words));
    await clock.sleep(GRACE_MS, waiting);
    return retry(words);
  });
  try {
    const sent = sink.send(notices, sending).catch((error: unknown) => retry(errorText(error)));
    const result = await Promise.race([sent, late]);
    return result.outcome === 'delivered' ? result : { ...result, reason: reasonText(result.reason) };
  } finally {
    over.abort();
    ending.abort();
  }
}

/** A reason for people: one line, bounded, nothing that a terminal acts on. */
export function reasonText(text: string): string {
  return cut(escapeProse(cut(text, MAX_REASON * 4)), MAX_REASON);
}

function retry(reason: string): SendResult {
  return { outcome: 'retry', reason, answered: false };
}
