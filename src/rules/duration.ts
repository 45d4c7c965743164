/** Durations as rules write them: `30s`, `5m`, `1h30m`, `250ms`. */
import { HOUR, MILLISECOND, MINUTE, SECOND } from '../model/time.js';

const UNITS = new Map([
  ['us', 1],
  ['ms', MILLISECOND],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
]);

/** Microseconds of a Go-like duration; undefined when the text is none. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d{1,9}(\.\d{1,6})?(us|ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(us|ms|s|m|h)/g)) {
    total += Number(amount) * (UNITS.get(unit ?? '') ?? 0);
  }
  return Math.round(total);
}
