/** Waiting that ends: for Kafka while it is away, and for what ends with the service. */
import { errorText } from '../model/error-text.js';
import { endedOrAborted } from '../outputs/delivery/wait.js';

/** Rejects with the signal's reason when that is aborted first. */
export async function unlessAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work;
  await endedOrAborted(work, signal);
  signal.throwIfAborted();
}

/** Waits for at most so many milliseconds, and tells what went wrong. Never rejects. */
export async function endedWithin(
  ms: number,
  work: Promise<void> | undefined,
  onMessage: (text: string) => void,
): Promise<void> {
  if (work === undefined) return;
  const signal = AbortSignal.timeout(Math.max(1, Math.round(ms)));
  let ended = false;
  const whole = work.then(() => {
    ended = true;
  });
  try {
    await endedOrAborted(whole, signal);
    // The group finds out by itself that this member is gone.
    if (!ended) onMessage(UNANSWERED);
  } catch (error) {
    onMessage(`Kafka: ending: ${errorText(error)}`);
  }
}

/** A group that is being formed answers nobody before it is: that may take as long as kafka.session, and a minute. */
const UNANSWERED =
  'what Kafka was asked last is not answered yet, and is not waited for: either it is away, or the group waits for members that went without a word';
