/** Reads strings as Go's strconv.Quote writes them: klog values, FLAG lines. */

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Position just behind the closing quote of the string that opens at `start`; -1 when it is not closed. */
export function quotedEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) return at + 1;
    if (code === 92) at++;
  }
  return -1;
}

/** The content of a quoted string, `text` with its quotes. An escape that Go does not know stays as it stands. */
export function unquote(text: string): string {
  const inner = text.slice(1, -1);
  if (!inner.includes('\\')) return inner;
  // Go writes bytes that are not UTF-8 as \x..: they become replacement characters here.
  return inner.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([\s\S]))/g,
    (whole, hex?: string, short?: string, long?: string, octal?: string, char?: string) => {
      if (char !== undefined) return SIMPLE[char] ?? (char === '"' || char === '\\' || char === "'" ? char : whole);
      const code = octal === undefined ? Number.parseInt(hex ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8);
      if (hex !== undefined && code > 0x7f) return '\ufffd';
      return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}
