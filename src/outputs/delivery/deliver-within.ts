/** Delivery with a deadline. */
import type { DeliveryReport, Output, OutputBatch } from '../output.js';
import type { Clock } from './clock.js';

/** Waits for so many milliseconds at most, or until the signal is aborted; what the output reports then. */
export async function deliverWithin(
  output: Output,
  batch: OutputBatch,
  withinMs: number,
  clock: Clock,
  signal: AbortSignal = NEVER,
): Promise<DeliveryReport> {
  const late = new AbortController();
  const done = new AbortController();
  const timer = clock.sleep(withinMs, done.signal).then(() => late.abort());
  try {
    return await output.deliver(batch, AbortSignal.any([late.signal, signal]));
  } finally {
    done.abort();
    await timer;
  }
}

const NEVER = new AbortController().signal;
