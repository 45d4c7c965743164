/** Whether all that was there has been read: from then on a finding that is gone is over, and one that comes is new. */
import type { RecordStream } from './record-stream.js';

export interface Present {
  readonly nowMs: number;
  /** What a stream was not heard of since then may have more than is known. */
  readonly sinceMs: number;
  /** Records may be so far behind the present, in microseconds: nothing is missing that matters for judging. */
  readonly readyLagUs: number;
}

export function areCaughtUp(
  streams: Iterable<Pick<RecordStream, 'isAtEnd' | 'lastUs' | 'heardAtMs'>>,
  { nowMs, sinceMs, readyLagUs }: Present,
): boolean {
  for (const { isAtEnd, lastUs, heardAtMs } of streams) {
    const isNear = lastUs !== undefined && nowMs * 1_000 - lastUs <= readyLagUs;
    if ((!isAtEnd && !isNear) || heardAtMs < sinceMs) return false;
  }
  return true;
}
