/** Where a text begins and ends but for white space. */

export function startOfText(bytes: Buffer, end: number): number {
  let at = 0;
  while (at < end && isSpace(bytes[at])) at++;
  return at;
}

export function endOfText(bytes: Buffer): number {
  let end = bytes.length;
  while (end > 0 && isSpace(bytes[end - 1])) end--;
  return end;
}

/** Space, tab, line feed, carriage return. */
export function isSpace(byte: number | undefined): boolean {
  return byte === 32 || byte === 9 || byte === 10 || byte === 13;
}
