/**
 * klog's JSON form, `{"ts":1767582245783.1257,"caller":"httplog/httplog.go:132","msg":"HTTP","v":3,…}`, and that of
 * the etcd client inside an apiserver, `{"level":"warn","ts":"2026-01-05T03:04:05.738Z","caller":…,"msg":…}`.
 */
import type { LogLine } from '../../model/record.js';
import { parseTimestamp } from '../audit/timestamp.js';
import { MAX_TEXT } from './text-line.js';

const MAX_FIELDS = 64;
const MAX_VALUE = 8 * 1024;
const OWN = new Set(['ts', 'caller', 'msg', 'v', 'level']);
const LEVELS: Readonly<Record<string, LogLine['severity']>> = {
  debug: 'I',
  info: 'I',
  warn: 'W',
  error: 'E',
  dpanic: 'F',
  panic: 'F',
  fatal: 'F',
};

/**
 * A parsed object as a LogLine, or undefined when it is none. In klog's form `ts` is milliseconds with a fraction, and
 * there is no severity: errors carry `err` or lack `v`.
 */
export function readJsonLine(
  value: Readonly<Record<string, unknown>>,
  text: string,
  line: number,
  offset: number,
): LogLine | undefined {
  const { ts, msg, caller } = value;
  const timeUs = timeOf(ts);
  const severity = severityOf(value);
  if (timeUs === undefined || severity === undefined || typeof msg !== 'string') return undefined;
  return {
    type: 'log',
    line,
    offset,
    timeUs,
    severity,
    file: fileOf(caller),
    message: msg.slice(0, MAX_VALUE),
    fields: fieldsOf(value),
    text: text.slice(0, MAX_TEXT),
  };
}

function timeOf(ts: unknown): number | undefined {
  if (typeof ts === 'number') return Math.round(ts * 1000);
  return (typeof ts === 'string' && parseTimestamp(ts)) || undefined;
}

function severityOf({ ts, level, v, err }: Readonly<Record<string, unknown>>): LogLine['severity'] | undefined {
  if (typeof ts === 'string') return typeof level === 'string' ? LEVELS[level] : undefined;
  return v === undefined || err !== undefined ? 'E' : 'I';
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
