/** The destination's times on the source's clock, so that a hop reads as it happened. */
import type { ProxiedRequest, RequestSide } from '../../model/proxied-request.js';

export interface Alignment {
  /** Microseconds on the source's clock. */
  readonly startUs: number;
  readonly endUs: number;
  /** What was taken from the destination's times, in microseconds; 0 where they stand as they were logged. */
  readonly correctionUs: number;
}

/**
 * Cause and effect bound the difference of the clocks: a destination receives a request after its source did, and ends
 * before a source that passes its answer on. Times that fit are left alone, since the estimate has the way between the
 * servers in it; others are corrected by it, and by no more than what fits. A destination that may really have been
 * later, because the source had given up or the stream was cut, is corrected by the estimate.
 */
export function alignDestination(request: ProxiedRequest & { destination: RequestSide }): Alignment {
  const { destination } = request;
  const correctionUs = correction(request);
  const startUs = destination.receivedUs - correctionUs;
  return { startUs, endUs: Math.max(startUs, (destination.doneUs ?? 0) - correctionUs), correctionUs };
}

/** The hop's own time: what the source took beyond the destination, in milliseconds; null where one did not finish. */
export function hopMs({ source, destination }: ProxiedRequest): number | null {
  if (destination === null || source.doneUs === null || destination.doneUs === null) return null;
  if (!passedOnWhole(source, destination)) return null;
  const us = source.doneUs - source.receivedUs - (destination.doneUs - destination.receivedUs);
  return us < 0 ? null : us / 1000;
}

function correction({ source, destination, skewUs }: ProxiedRequest & { destination: RequestSide }): number {
  const most = destination.receivedUs - source.receivedUs;
  if (source.doneUs === null || destination.doneUs === null || !passedOnWhole(source, destination)) {
    return Math.min(skewUs, most);
  }
  const least = destination.doneUs - source.doneUs;
  if (least <= 0 && most >= 0) return 0;
  return Math.min(Math.max(skewUs, least), most);
}

/** The source ended with the destination's own answer, so it ended after it; a cut stream (Panic, 500) did not. */
function passedOnWhole(source: RequestSide, destination: RequestSide): boolean {
  return source.code !== null && source.code === destination.code && source.code < 500;
}
