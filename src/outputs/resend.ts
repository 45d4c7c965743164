/** Sends again what receivers had turned down, once the cause is mended. */
import type { Clock } from './delivery/clock.js';
import { deliverWithin } from './delivery/deliver-within.js';
import { type DeliveryReport, EMPTY_ANALYSIS, type Output, type OutputBatch, type Recalled } from './output.js';

export interface ResendResult extends Pick<DeliveryReport, 'delivered' | 'waiting' | 'refused'>, Recalled {
  readonly name: string;
}

export interface ResendOptions {
  readonly clock: Clock;
  /** For one output, in milliseconds. */
  readonly withinMs: number;
}

/**
 * All side by side; results of those that keep what is turned down, in their order. What waited goes out as well. The
 * outputs are closed. Throws what the system says of a spool that cannot be read.
 */
export async function resendRefused(outputs: readonly Output[], options: ResendOptions): Promise<ResendResult[]> {
  const ended = await Promise.allSettled(outputs.map((output) => resend(output, options)));
  return ended.flatMap((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value ?? [];
  });
}

async function resend(output: Output, { clock, withinMs }: ResendOptions): Promise<ResendResult | undefined> {
  try {
    const recalled = await output.recall?.();
    if (recalled === undefined) return undefined;
    const { delivered, waiting, refused } = await deliverWithin(output, NOTHING_NEW, withinMs, clock);
    return { name: output.name, ...recalled, delivered, waiting, refused };
  } finally {
    await output.close();
  }
}

const NOTHING_NEW: OutputBatch = { changes: [], findings: [], requests: [], analysis: EMPTY_ANALYSIS };
