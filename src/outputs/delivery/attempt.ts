/** One attempt to send, bounded in time, whatever the sink does. */
import { escapeProse } from '../../report/text/escape.js';
import { cut } from './bound.js';
import type { Clock } from './clock.js';
import type { Notice } from './notice.js';
import type { SendResult, Sink } from './sink.js';

const MAX_REASON = 300;

/** A failure is a result. Ends at the latest with the timeout, or when the signal is aborted. */
export async function attempt(
  sink: Sink,
  notices: readonly Notice[],
  timeoutMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<SendResult> {
  const ending = new AbortController();
  const sending = AbortSignal.any([signal, ending.signal]);
  const late = clock
    .sleep(timeoutMs, sending)
    .then(
      (): SendResult => retry(signal.aborted ? 'ended while it was sent' : `no answer within ${timeoutMs / 1000} s`),
    );
  try {
    const sent = sink.send(notices, sending).catch((error: unknown) => retry(wordsOf(error)));
    const result = await Promise.race([sent, late]);
    return result.outcome === 'delivered' ? result : { ...result, reason: reasonText(result.reason) };
  } finally {
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

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
