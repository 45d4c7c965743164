/** Splits the body of a klog line into its message and its key/value pairs. */
import { quotedEnd, unquote } from '../go-quote.js';

export interface KlogBody {
  readonly message: string;
  readonly fields: ReadonlyMap<string, string> | undefined;
}

const MAX_FIELDS = 64;
const KEY = /[^\s="]{1,256}=/y;

/**
 * Structured bodies are `"message" key="value" key=3 key=[…] key={…}` and `key=<`, tab-indented lines, ` >`.
 * Anything else is a printf message and given back whole.
 */
export function readBody(body: string): KlogBody {
  const printf = { message: body, fields: undefined };
  if (body.charCodeAt(0) !== 34) return printf;
  const end = quotedEnd(body, 0);
  if (end < 0) return printf;
  const fields = readFields(body, end);
  return fields === undefined ? printf : { message: unquote(body.slice(0, end)), fields };
}

/** The pairs from `start` on; undefined when what stands there begins with no pair. */
function readFields(body: string, start: number): Map<string, string> | undefined {
  const fields = new Map<string, string>();
  let at = start;
  while (fields.size < MAX_FIELDS) {
    while (body[at] === ' ' || body[at] === '\n') at++;
    if (at >= body.length) break;
    KEY.lastIndex = at;
    const key = KEY.exec(body)?.[0];
    // Text behind the pairs belongs to a record that was cut or continued: the pairs before it still hold.
    if (key === undefined)
      return fields.size === 0 && body[at] !== undefined && body[start] !== '\n' ? undefined : fields;
    at += key.length;
    const end = valueEnd(body, at);
    fields.set(key.slice(0, -1), readValue(body.slice(at, end)));
    at = end;
  }
  return fields;
}

function valueEnd(body: string, start: number): number {
  const first = body[start];
  if (first === '"') {
    const end = quotedEnd(body, start);
    return end < 0 ? body.length : end;
  }
  if (first === '<' && body[start + 1] === '\n') {
    const end = body.indexOf('\n >', start);
    return end < 0 ? body.length : end + 3;
  }
  if (first === '[' || first === '{') return bracketEnd(body, start);
  return plainEnd(body, start);
}

function bracketEnd(body: string, start: number): number {
  let depth = 0;
  for (let at = start; at < body.length; at++) {
    const char = body[at];
    if (char === '"') {
      const end = quotedEnd(body, at);
      if (end < 0) break;
      at = end - 1;
    } else if (char === '[' || char === '{') depth++;
    else if ((char === ']' || char === '}') && --depth === 0) return at + 1;
  }
  return plainEnd(body, start);
}

function plainEnd(body: string, start: number): number {
  for (let at = start; at < body.length; at++) if (body[at] === ' ' || body[at] === '\n') return at;
  return body.length;
}

function readValue(raw: string): string {
  if (raw.length >= 2 && raw.startsWith('"') && raw.endsWith('"')) return unquote(raw);
  if (!raw.startsWith('<\n')) return raw;
  const inner = raw.endsWith('\n >') ? raw.slice(2, -3) : raw.slice(2);
  return inner.replace(/^\t/gm, '');
}
