/** Runs of NUL bytes, which a truncated or preallocated log file begins with and which may be gigabytes long. */

const ZEROS = Buffer.alloc(64 * 1024);

/** The first position from `start` on that is not NUL; `bytes.length` when there is none. */
export function skipNuls(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes.length - at >= ZEROS.length && bytes.compare(ZEROS, 0, ZEROS.length, at, at + ZEROS.length) === 0)
    at += ZEROS.length;
  while (at < bytes.length && bytes[at] === 0) at++;
  return at;
}
