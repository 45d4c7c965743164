/** Recognizes the keys of an event in bytes. */
import { COLON, QUOTE } from './skip.js';

/** Numbers for the members that are read; 0 is any other. */
export const field = {
  kind: 1,
  level: 2,
  auditID: 3,
  stage: 4,
  requestURI: 5,
  verb: 6,
  user: 7,
  impersonatedUser: 8,
  sourceIPs: 9,
  userAgent: 10,
  objectRef: 11,
  responseStatus: 12,
  requestReceivedTimestamp: 13,
  stageTimestamp: 14,
  timestamp: 15,
  metadata: 16,
  annotations: 17,
  requestObject: 18,
  responseObject: 19,
} as const;

/**
 * The members that say the same in all stages of a request, as a set of bits, but for auditID; bit 0 is any member that
 * is not read.
 */
export const REQUEST_FIELDS =
  1 |
  (1 << field.requestURI) |
  (1 << field.verb) |
  (1 << field.user) |
  (1 << field.impersonatedUser) |
  (1 << field.sourceIPs) |
  (1 << field.userAgent) |
  (1 << field.objectRef);

const numbers = new Map<string, number>(Object.entries(field));

/** The number of a key given as text. */
export function fieldOf(key: string): number {
  return numbers.get(key) ?? 0;
}

/** Bytes that must follow a position for `keyAt` to look at it: the longest key. */
const LONGEST = 28;

const REQUEST = word('"request');
const RESPONSE = word('"respons');
const RECEIVED = word('Received');
const TIMESTAMP = word('estamp":');
const REQUEST_OBJECT = word('Object":');
const RESPONSE_STATUS = word('eStatus"');
const RESPONSE_OBJECT = word('eObject"');
const STAGE = word('"stage":');
const STAGE_TIMESTAMP = word('"stageTi');
const LEVEL = word('"level":');
const AUDIT_ID = word('"auditID');
const SOURCE = word('"sourceI');
const USER_AGENT = word('"userAge');
const OBJECT_REF = word('"objectR');
const ANNOTATIONS = word('"annotat');
const ANNOTATIONS_END = word('ations":');
const URI = half('URI"');
const TIMESTAMP_MIDDLE = half('Time');
const STAGE_TIMESTAMP_END = half('amp"');
const STAGE_TIMESTAMP_MIDDLE = half('mest');
const AGENT_END = half('nt":');
const SOURCE_END = half('Ps":');
const REF_END = half('ef":');
const VERB = half('"ver');
const VERB_END = half('rb":');
const USER = half('"use');
const USER_END = half('er":');
const KIND = half('"kin');
const KIND_END = half('nd":');

/** Bytes of the keys that `isAuditID` and `isStage` know, colon included. */
export const AUDIT_ID_KEY = 10;
export const STAGE_KEY = 8;

export function isAuditID(view: DataView, at: number, end: number): boolean {
  return (
    at + LONGEST <= end &&
    view.getFloat64(at, true) === AUDIT_ID &&
    view.getUint8(at + 8) === QUOTE &&
    view.getUint8(at + 9) === COLON
  );
}

export function isStage(view: DataView, at: number, end: number): boolean {
  return at + LONGEST <= end && view.getFloat64(at, true) === STAGE;
}

/** The field whose compact key, colon included, is at `at`, plus 256 times the length of that key; 0 for any other spelling. */
export function keyAt(view: DataView, at: number, end: number): number {
  if (at + LONGEST > end) return 0;
  const key = view.getFloat64(at, true);
  if (key === REQUEST) {
    if (view.getInt32(at + 8, true) === URI && view.getUint8(at + 12) === COLON) return (13 << 8) | field.requestURI;
    const rest = view.getFloat64(at + 8, true);
    if (rest === RECEIVED) {
      return view.getInt32(at + 16, true) === TIMESTAMP_MIDDLE && view.getFloat64(at + 19, true) === TIMESTAMP
        ? (27 << 8) | field.requestReceivedTimestamp
        : 0;
    }
    return rest === REQUEST_OBJECT ? (16 << 8) | field.requestObject : 0;
  }
  if (key === STAGE) return (STAGE_KEY << 8) | field.stage;
  if (key === STAGE_TIMESTAMP) {
    return view.getInt32(at + 8, true) === STAGE_TIMESTAMP_MIDDLE &&
      view.getInt32(at + 12, true) === STAGE_TIMESTAMP_END &&
      view.getUint8(at + 16) === COLON
      ? (17 << 8) | field.stageTimestamp
      : 0;
  }
  const start = view.getInt32(at, true);
  if (start === VERB) return view.getInt32(at + 3, true) === VERB_END ? (7 << 8) | field.verb : 0;
  if (start === USER) {
    if (view.getInt32(at + 3, true) === USER_END) return (7 << 8) | field.user;
    return key === USER_AGENT && view.getInt32(at + 8, true) === AGENT_END ? (12 << 8) | field.userAgent : 0;
  }
  if (key === SOURCE) return view.getInt32(at + 8, true) === SOURCE_END ? (12 << 8) | field.sourceIPs : 0;
  if (key === OBJECT_REF) return view.getInt32(at + 8, true) === REF_END ? (12 << 8) | field.objectRef : 0;
  if (key === RESPONSE) {
    if (view.getUint8(at + 16) !== COLON) return 0;
    const rest = view.getFloat64(at + 8, true);
    if (rest === RESPONSE_STATUS) return (17 << 8) | field.responseStatus;
    return rest === RESPONSE_OBJECT ? (17 << 8) | field.responseObject : 0;
  }
  if (key === ANNOTATIONS) return view.getFloat64(at + 6, true) === ANNOTATIONS_END ? (14 << 8) | field.annotations : 0;
  if (key === LEVEL) return (8 << 8) | field.level;
  if (isAuditID(view, at, end)) return (AUDIT_ID_KEY << 8) | field.auditID;
  if (start === KIND) return view.getInt32(at + 3, true) === KIND_END ? (7 << 8) | field.kind : 0;
  return 0;
}

/** Eight ASCII bytes as the double that stands for the same bits; never NaN or zero, so `===` compares the bits. */
export function word(text: string): number {
  return viewOf(text).getFloat64(0, true);
}

/** Four ASCII bytes as the integer that stands for the same bits. */
export function half(text: string): number {
  return viewOf(text).getInt32(0, true);
}

function viewOf(text: string): DataView {
  const view = new DataView(new ArrayBuffer(text.length));
  for (let index = 0; index < text.length; index++) view.setUint8(index, text.charCodeAt(index));
  return view;
}
