/** klog's JSON form: `{"ts":1767582245783.1257,"caller":"httplog/httplog.go:132","msg":"HTTP","v":3,…}`. */
import type { LogLine } from '../../model/record.js';
import { MAX_TEXT } from './text-line.js';

const MAX_FIELDS = 64;
const MAX_VALUE = 8 * 1024;
const OWN = new Set(['ts', 'caller', 'msg', 'v']);

/**
 * A parsed object as a LogLine, or undefined when it is none (no numeric `ts` beside a string `msg`).
 * `ts` is milliseconds with a fraction. The form stores no severity: errors carry `err` or lack `v`.
 */
export function readJsonLine(
  value: Readonly<Record<string, unknown>>,
  text: string,
  line: number,
  offset: number,
): LogLine | undefined {
  const { ts, msg, caller, v } = value;
  if (typeof ts !== 'number' || typeof msg !== 'string' || !Number.isFinite(ts)) return undefined;
  return {
    type: 'log',
    line,
    offset,
    timeUs: Math.round(ts * 1000),
    severity: v === undefined || value.err !== undefined ? 'E' : 'I',
    file: fileOf(caller),
    message: msg.slice(0, MAX_VALUE),
    fields: fieldsOf(value),
    text: text.slice(0, MAX_TEXT),
  };
}

function fileOf(caller: unknown): string {
  if (typeof caller !== 'string') return '';
  return caller.slice(caller.lastIndexOf('/') + 1).replace(/:\d+$/, '');
}

function fieldsOf(value: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> | undefined {
  const fields = new Map<string, string>();
  for (const key of Object.keys(value)) {
    if (OWN.has(key)) continue;
    if (fields.size >= MAX_FIELDS) break;
    const field = value[key];
    fields.set(key, (typeof field === 'string' ? field : (JSON.stringify(field) ?? '')).slice(0, MAX_VALUE));
  }
  return fields.size === 0 ? undefined : fields;
}
