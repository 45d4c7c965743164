/** Points in time as people write them: an RFC 3339 time, or how long ago. */
import { HOUR, MINUTE, SECOND } from '../model/time.js';

const DAY = 24 * HOUR;
const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };
const RFC3339 = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)?)?$/;

/** Either a point in time or a stretch of it before now, in microseconds; or what is wrong, as a sentence. */
export type TimeText = { readonly atUs: number } | { readonly agoUs: number } | string;

/** `2026-01-05T03:04:05Z` (a date alone is its midnight in UTC), or `90s`, `45m`, `2h`, `1h30m`, `3d` ago. */
export function parseTimeText(text: string): TimeText {
  if (/^(\d+[smhd])+$/.test(text)) return { agoUs: durationOf(text) };
  const match = RFC3339.exec(text);
  if (match === null) return 'Give a time as in 2026-01-05T03:04:05Z, or a time ago as in 90s, 45m, 2h, 3d.';
  const [, date = '', clock = '00:00:00', fraction = '', zone] = match;
  if (zone === undefined && match[2] !== undefined) {
    return `It has no time zone: add Z for UTC, as in ${date}T${clock}Z.`;
  }
  const ms = Date.parse(`${date}T${clock}${zone?.toUpperCase() ?? 'Z'}`);
  if (Number.isNaN(ms) || !dayExists(date)) return 'There is no such time.';
  return { atUs: ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6)) };
}

function durationOf(text: string): number {
  let total = 0;
  for (const [, count, unit = 's'] of text.matchAll(/(\d+)([smhd])/g)) total += Number(count) * (UNITS[unit] ?? 0);
  return total;
}

/** Date.parse takes 31 April for 1 May. */
function dayExists(date: string): boolean {
  return new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10) === date;
}
