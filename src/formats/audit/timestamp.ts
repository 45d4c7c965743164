/** Reads RFC 3339 times in all the forms that audit events and their carriers use, to whole microseconds. */

const FORM = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{0,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))?$/;
const MINUTES_A_DAY = 1440;
/** Outside of these years a microsecond count is no exact double, or the time is Go's zero time. */
const FIRST_YEAR = 1970;
const LAST_YEAR = 2200;
const LAST_US = Date.UTC(LAST_YEAR + 1, 0) * 1000;

/**
 * Microseconds since the epoch, or 0 when `text` is no time or before 1970. Digits below a microsecond are cut off;
 * without a zone the time is UTC; a space may stand for the T.
 */
export function parseTimestamp(text: string): number {
  const parts = FORM.exec(text);
  if (parts === null) return 0;
  const minute = minuteOf(Number(parts[1]), Number(parts[2]), Number(parts[3]), Number(parts[4]), Number(parts[5]));
  const second = Number(parts[6]);
  if (minute < 0 || second > 59) return 0;
  const zone = zoneMinutes(parts[8], Number(parts[9] ?? 0), Number(parts[10] ?? 0));
  if (Number.isNaN(zone)) return 0;
  const micros = Number((parts[7] ?? '').slice(0, 6).padEnd(6, '0'));
  return Math.max(0, ((minute - zone) * 60 + second) * 1_000_000 + micros);
}

/** Whether `us` is a time that a record may have, and not a clock's zero, what was no time, or a number out of all bounds. */
export function isDated(us: number): boolean {
  return us > 0 && us < LAST_US;
}

/** Whole minutes since the epoch of a UTC date and time; -1 when there is no such minute. */
export function minuteOf(year: number, month: number, day: number, hour: number, minute: number): number {
  if (year < FIRST_YEAR || year > LAST_YEAR || month < 1 || month > 12) return -1;
  if (day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59) return -1;
  return (Date.UTC(year, month - 1, day) / 86_400_000) * MINUTES_A_DAY + hour * 60 + minute;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function zoneMinutes(sign: string | undefined, hours: number, minutes: number): number {
  if (hours > 23 || minutes > 59) return Number.NaN;
  return sign === '-' ? -(hours * 60 + minutes) : hours * 60 + minutes;
}
