/** The plain decoder: JSON.parse, then pick the fields. Slow and evident; the fast one is tested against it. */
import type { AuditEvent, ByteRange } from '../../model/record.js';
import { auditEvent, RequestPart } from './decoded-event.js';
import { type AuditDecoder, type Verdict, verdicts } from './decoder.js';
import {
  DECISION,
  levelOf,
  type NotesPart,
  type RefPart,
  refPart,
  type StatusPart,
  stageOf,
  statusCode,
  TRUNCATED,
  type UserPart,
} from './event.js';
import { scanJson } from './scan.js';
import { parseTimestamp } from './timestamp.js';

type JsonObject = Readonly<Record<string, unknown>>;
const EMPTY: JsonObject = {};
const NO_BYTES = Buffer.alloc(0);

/** A decoder over JSON.parse; it keeps no state. See AuditDecoder for what it takes and gives. */
export function createReferenceDecoder(): AuditDecoder {
  return { decode };
}

function decode(bytes: Buffer, start: number, end: number, line: number, offset: number): AuditEvent | Verdict {
  const parsed = parse(bytes.toString('utf8', start, end));
  const members = new Map<string, ByteRange>();
  const range = scanJson(bytes, start, end, (rawKey, value) => members.set(JSON.parse(`"${rawKey}"`), value));
  if (typeof range === 'string') return range;
  if (parsed === undefined) return verdicts.notJson;
  const event = objectOf(parsed.value);
  const body = (key: string) => (event[key] === null ? undefined : members.get(key));
  return auditEvent(
    line,
    offset,
    bytes,
    range.start,
    range.end,
    text(event.kind),
    levelOf(text(event.level)),
    stageOf(text(event.stage)),
    requestOf(event),
    statusOf(objectOf(event.responseStatus)),
    parseTimestamp(text(event.requestReceivedTimestamp)),
    parseTimestamp(text(event.stageTimestamp)),
    parseTimestamp(text(event.timestamp)),
    parseTimestamp(text(objectOf(event.metadata).creationTimestamp)),
    notesOf(objectOf(event.annotations)),
    body('requestObject'),
    body('responseObject'),
  );
}

function requestOf(event: JsonObject): RequestPart {
  return Object.assign(new RequestPart(NO_BYTES, text(event.auditID)), {
    uri: text(event.requestURI),
    verb: text(event.verb),
    user: userOf(objectOf(event.user)),
    impersonated: text(objectOf(event.impersonatedUser).username),
    sourceIPs: list(event.sourceIPs),
    userAgent: text(event.userAgent),
    ref: refOf(objectOf(event.objectRef)),
  });
}

/** Wrapped, since null and false are values too; undefined is what cannot be parsed. */
function parse(json: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(json) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : EMPTY;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function list(value: unknown): string {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string').join(',') : '';
}

function userOf(user: JsonObject): UserPart {
  return { username: text(user.username), uid: text(user.uid), groups: list(user.groups) };
}

function refOf(ref: JsonObject): RefPart {
  return refPart(
    text(ref.resource),
    text(ref.namespace),
    text(ref.name),
    text(ref.apiGroup),
    text(ref.apiVersion),
    text(ref.subresource),
  );
}

function statusOf(status: JsonObject): StatusPart {
  const code = typeof status.code === 'number' ? statusCode(status.code) : 0;
  return { code, status: text(status.status), reason: text(status.reason), message: text(status.message) };
}

function notesOf(notes: JsonObject): NotesPart {
  return { decision: text(notes[DECISION]), truncated: notes[TRUNCATED] === 'true' };
}
