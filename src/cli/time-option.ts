/** The values of --since and --until. */
import { InvalidArgumentError } from 'commander';
import { HOUR, MINUTE, SECOND } from '../model/time.js';

const DAY = 24 * HOUR;
const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/**
 * Microseconds since the epoch of an RFC 3339 time (`2026-01-05T03:04:05Z`, a date alone is its midnight in UTC), or
 * of a time ago (`90s`, `45m`, `2h`, `1h30m`, `3d`) counted from `nowMs`. Throws InvalidArgumentError.
 */
export function parseTime(text: string, nowMs: number): number {
  if (/^(\d+[smhd])+$/.test(text)) return nowMs * 1000 - durationOf(text);
  const match = RFC3339.exec(text);
  if (match === null) throw new InvalidArgumentError(HELP);
  const [, date = '', clock = '00:00:00', fraction = '', zone] = match;
  if (zone === undefined && match[2] !== undefined) {
    throw new InvalidArgumentError(`It has no time zone: add Z for UTC, as in ${date}T${clock}Z.`);
  }
  const ms = Date.parse(`${date}T${clock}${zone?.toUpperCase() ?? 'Z'}`);
  if (Number.isNaN(ms) || !dayExists(date)) throw new InvalidArgumentError('There is no such time.');
  return ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

const RFC3339 = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)?)?$/;
const HELP = 'Give a time as in 2026-01-05T03:04:05Z, or a time ago as in 90s, 45m, 2h, 3d.';

function durationOf(text: string): number {
  let total = 0;
  for (const [, count, unit = 's'] of text.matchAll(/(\d+)([smhd])/g)) total += Number(count) * (UNITS[unit] ?? 0);
  return total;
}

/** Date.parse takes 31 April for 1 May. */
function dayExists(date: string): boolean {
  return new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10) === date;
}
