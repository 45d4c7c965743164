/** The head of a gzip member (RFC 1952). */
import type { Pushback } from './pushback.js';

const MAX_HEADER = 128 * 1024;

export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Takes the header away; `cut` where the source ends in it, `damaged` where it is none. */
export async function takeHeader(source: Pushback): Promise<'ok' | 'cut' | 'damaged'> {
  for (let wanted = 10; ; wanted *= 2) {
    const bytes = await source.peek(wanted);
    if (bytes.length >= 3 && bytes[2] !== 8) return 'damaged';
    const length = headerLength(bytes);
    if (length >= 0) {
      await source.drop(length);
      return 'ok';
    }
    if (bytes.length < wanted) return 'cut';
    if (wanted > MAX_HEADER) return 'damaged';
  }
}

/** -1 while there are too few bytes to tell. */
function headerLength(bytes: Buffer): number {
  const flags = bytes[3];
  if (bytes.length < 10 || flags === undefined) return -1;
  let at = 10;
  if (flags & 4) {
    if (bytes.length < at + 2) return -1;
    at += 2 + bytes.readUInt16LE(at);
  }
  for (const text of [8, 16]) {
    if (!(flags & text)) continue;
    const end = bytes.indexOf(0, at);
    if (end < 0) return -1;
    at = end + 1;
  }
  if (flags & 2) at += 2;
  return at <= bytes.length ? at : -1;
}
