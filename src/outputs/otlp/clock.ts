/** The destination's times on the source's clock, so that a hop reads as it happened. */
import type { ProxiedRequest, RequestSide } from '../../model/proxied-request.js';

export interface Alignment {
  /** Microseconds on the source's clock. */
  readonly startUs: number;
  readonly endUs: number;
  /** What was taken from the destination's times, in microseconds; the estimated skew and what had to be added to it. */
  readonly correctionUs: number;
}

/**
 * The estimated skew is taken off first. What then still contradicts cause and effect is taken off too: a destination
 * cannot receive a request before its source did, nor end an answer later than the source that passed it on whole.
 * A destination that may really have been later (the source had given up) is left where its own clock has it.
 */
export function alignDestination({
  source,
  destination,
  skewUs,
}: ProxiedRequest & { destination: RequestSide }): Alignment {
  const receivedUs = destination.receivedUs - skewUs;
  const endUs = (destination.doneUs ?? destination.receivedUs) - skewUs;
  const shift = causalShift(source, receivedUs, endUs, passedOnWhole(source, destination));
  return {
    startUs: receivedUs + shift,
    endUs: Math.max(receivedUs, endUs) + shift,
    correctionUs: skewUs - shift,
  };
}

/** The hop's own time: what the source took beyond the destination, in milliseconds; null where one did not finish. */
export function hopMs({ source, destination }: ProxiedRequest): number | null {
  if (destination === null || source.doneUs === null || destination.doneUs === null) return null;
  if (!passedOnWhole(source, destination)) return null;
  const us = source.doneUs - source.receivedUs - (destination.doneUs - destination.receivedUs);
  return us < 0 ? null : us / 1000;
}

function causalShift(source: RequestSide, startUs: number, endUs: number, whole: boolean): number {
  if (startUs < source.receivedUs) return source.receivedUs - startUs;
  if (!whole || source.doneUs === null || endUs <= source.doneUs) return 0;
  const room = startUs - source.receivedUs;
  const needed = endUs - source.doneUs;
  return needed <= room ? -needed : 0;
}

/** The source ended with the destination's own answer, so it ended after it; a cut stream (Panic, 500) did not. */
function passedOnWhole(source: RequestSide, destination: RequestSide): boolean {
  return source.code !== null && source.code === destination.code && source.code < 500;
}
