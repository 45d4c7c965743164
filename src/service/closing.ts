/** How the parts of the service end: in order and within a time, or at once when it did not open. */
import type { Clock } from '../outputs/delivery/clock.js';
import { endedWithin } from './bounded-wait.js';
import type { Parts } from './parts.js';

/** Of the time to stop, what each step may take of what is left. */
const SHARE = 0.5;
/** What waits for Kafka at the end gets so long at least; and so long where nothing was read yet. */
const KAFKA_MS = 1_000;
const ABANDON_MS = 2_000;

/**
 * Takes nothing more, finishes what was taken, commits, and tells what is left, within so many milliseconds. What does
 * not end in time is told to `warn`. The page is the last to go: it shows the rest ending.
 */
export async function stopParts(
  parts: Parts,
  withinMs: number,
  clock: Clock,
  warn: (text: string) => void,
): Promise<void> {
  const ends = clock.now() + withinMs;
  const left = () => Math.max(0, ends - clock.now());
  const share = () => left() * SHARE;
  const inShare = () => AbortSignal.timeout(Math.max(1, Math.round(share())));
  parts.endWatch?.();
  await parts.receiver?.close(withinMs * SHARE);
  await endedWithin(Math.max(KAFKA_MS, share()), parts.scaleOut?.stop(inShare()), warn);
  // What is settled is committed while this member is still in the group.
  await parts.engine?.stop(inShare());
  await endedWithin(Math.max(KAFKA_MS, share()), parts.consumer?.stop(), warn);
  await endedWithin(KAFKA_MS, parts.deadLetters?.stop(), warn);
  await parts.sinks?.finish(left());
  await endedWithin(Math.max(KAFKA_MS, left()), parts.kafka?.close(), warn);
  await parts.admin?.close();
}

/** Ends what is open of a service that did not open as a whole. */
export async function abandonParts(parts: Parts, warn: (text: string) => void): Promise<void> {
  const atOnce = AbortSignal.abort();
  parts.endWatch?.();
  await Promise.allSettled([parts.admin?.close(), parts.receiver?.close(0), parts.engine?.stop(atOnce)]);
  await endedWithin(ABANDON_MS, parts.scaleOut?.stop(atOnce), warn);
  await endedWithin(ABANDON_MS, parts.deadLetters?.stop(), warn);
  await endedWithin(ABANDON_MS, parts.kafka?.close(), warn);
  await parts.sinks?.finish(0);
}
