/** Events whose members a shipper put beside its own in one object. */
import type { AuditEvent } from '../../model/record.js';
import { scanJson } from '../audit/scan.js';
import { isObject, type JsonObject } from '../documents/index.js';
import { parsedJson } from './json-text.js';
import { SHIPPER } from './object-shapes.js';
import { TRACES } from './restore.js';
import { readyFrom } from './shape.js';

/** What a tail is looked at for; the annotations of an event are rarely longer. */
const MAX_TAIL = 1024;

export const mergedFrom = readyFrom(SHIPPER);

/** Members of shippers that are read, whole. */
const MEMBERS = new Set([...TRACES, ...mergedFrom.flatMap(([, paths]) => paths.map(([first]) => first ?? ''))]);
/** Members that events have, too. */
const OWN = new Set(['timestamp', 'time']);

/**
 * Whether the object begins and ends as an API server writes its events, so that nothing can have been added. It is
 * asked about each event, so the two usual ends (an empty or quoted reason, a time) are told by a few bytes.
 */
export function isBare(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start + 1] !== 34) return false;
  const key = bytes[start + 2];
  // `{"kind":"Ev`, or `{"level":"` of an item of a list.
  if (!(key === 107 && bytes[start + 9] === 69) && !(key === 108 && bytes[start + 8] === 58)) return false;
  if (bytes[end - 1] !== 125) return false;
  if (bytes[end - 2] === 34) return bytes[end - 3] === 90 && isDigit(bytes[end - 4]);
  if (bytes[end - 2] !== 125 || bytes[end - 3] !== 34) return false;
  return bytes[end - 4] === 34 || endsInAnnotations(bytes, end);
}

/** The members that shippers added; undefined when there are none that are read. */
export function addedMembers(event: AuditEvent): JsonObject | undefined {
  const { bytes, start, end } = event;
  const added: [string, unknown][] = [];
  let isMerged = false;
  scanJson(bytes, start, end, (key, value) => {
    if (!MEMBERS.has(key)) return;
    if (!OWN.has(key)) isMerged = true;
    added.push([key, parsedJson(bytes, value.start, value.end)]);
  });
  return isMerged ? Object.fromEntries(added) : undefined;
}

/** The whole event as an object. */
export function eventObject({ bytes, start, end }: AuditEvent): JsonObject {
  const value = parsedJson(bytes, start, end);
  return isObject(value) ? value : {};
}

function endsInAnnotations(bytes: Buffer, end: number): boolean {
  const tail = bytes.toString('latin1', Math.max(0, end - MAX_TAIL), end);
  const annotations = tail.lastIndexOf('"annotations":{');
  return annotations >= 0 && !tail.includes('},"', annotations);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}
