/** The values of --since and --until. */
import { InvalidArgumentError } from 'commander';
import { parseTimeText } from '../config/time-text.js';

/**
 * Microseconds since the epoch of an RFC 3339 time (`2026-01-05T03:04:05Z`, a date alone is its midnight in UTC), or
 * of a time ago (`90s`, `45m`, `2h`, `1h30m`, `3d`) counted from `nowMs`. Throws InvalidArgumentError.
 */
export function parseTime(text: string, nowMs: number): number {
  const time = parseTimeText(text);
  if (typeof time === 'string') throw new InvalidArgumentError(time);
  return 'atUs' in time ? time.atUs : nowMs * 1000 - time.agoUs;
}
