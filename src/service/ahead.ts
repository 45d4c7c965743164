/** Clocks of servers differ, but not by so much: what lies further ahead of the present is left out. */
import { formatTime, HOUR } from '../model/time.js';

/** In microseconds. */
export const AHEAD_US = HOUR;

export function aheadNote(timeUs: number): string {
  const time = formatTime(timeUs);
  return `a record of ${time} is left out, for it lies more than an hour ahead of the present; the clock of the server that wrote it, or of this machine, is wrong`;
}
