/** The fixed head of a klog text line: `Lmmdd hh:mm:ss.uuuuuu threadid file:line] `. */
import { HOUR, MINUTE, SECOND } from '../../model/time.js';

export interface KlogHeader {
  readonly severity: 'I' | 'W' | 'E' | 'F';
  readonly month: number;
  readonly day: number;
  /** Microseconds since midnight. */
  readonly timeOfDayUs: number;
  readonly file: string;
  /** Where the message begins in the bytes. */
  readonly bodyStart: number;
}

const SEVERITIES: Readonly<Record<number, 'I' | 'W' | 'E' | 'F'>> = { 69: 'E', 70: 'F', 73: 'I', 87: 'W' };
const HEAD_LENGTH = 'I0102 15:04:05.000000'.length;

/** The header that begins at `start`, or undefined when the line has none. */
export function readHeader(bytes: Buffer, start: number, end: number): KlogHeader | undefined {
  if (!looksLikeHeader(bytes, start, end) || end - start < HEAD_LENGTH + 4) return undefined;
  if (bytes[start + 14] !== 46) return undefined;
  const month = digits(bytes, start + 1, 2);
  const day = digits(bytes, start + 3, 2);
  const hour = digits(bytes, start + 6, 2);
  const minute = digits(bytes, start + 9, 2);
  const second = digits(bytes, start + 12, 2);
  const micros = digits(bytes, start + 15, 6);
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 || minute < 0 || second < 0 || micros < 0)
    return undefined;
  let at = start + HEAD_LENGTH;
  while (at < end && bytes[at] === 32) at++;
  const thread = at;
  while (at < end && isDigit(bytes[at])) at++;
  if (at === thread || bytes[at] !== 32) return undefined;
  const fileStart = at + 1;
  const limit = Math.min(end, fileStart + 256);
  let colon = -1;
  for (at = fileStart; at < limit && bytes[at] !== 93; at++) {
    if (bytes[at] === 58) colon = at;
    else if (bytes[at] === 32) return undefined;
  }
  if (colon < 0 || at >= limit) return undefined;
  const severity = SEVERITIES[bytes[start] ?? 0];
  if (severity === undefined) return undefined;
  return {
    severity,
    month,
    day,
    timeOfDayUs: hour * HOUR + minute * MINUTE + second * SECOND + micros,
    file: bytes.toString('latin1', fileStart, colon),
    bodyStart: bytes[at + 1] === 32 ? at + 2 : at + 1,
  };
}

/** Whether the line begins like a header, be it cut off later on. */
export function looksLikeHeader(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < 9 || SEVERITIES[bytes[start] ?? 0] === undefined) return false;
  return (
    digits(bytes, start + 1, 4) >= 0 &&
    bytes[start + 5] === 32 &&
    digits(bytes, start + 6, 2) >= 0 &&
    bytes[start + 8] === 58
  );
}

function digits(bytes: Buffer, start: number, count: number): number {
  let value = 0;
  for (let at = start; at < start + count; at++) {
    const byte = bytes[at];
    if (!isDigit(byte)) return -1;
    value = value * 10 + (byte as number) - 48;
  }
  return value;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}
