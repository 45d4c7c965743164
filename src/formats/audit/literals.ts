/** Recognizes the values that every event has and that have few forms, by comparing words instead of reading strings. */
import type { Level, Stage } from '../../model/record.js';
import { half, word } from './keys.js';
import { COMMA, QUOTE } from './skip.js';

/** How every event of a log file begins, and its length. */
const HEAD = '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"';
const HEAD_BYTES = 56;
const HEAD_0 = word(HEAD.slice(0, 8));
const HEAD_1 = word(HEAD.slice(8, 16));
const HEAD_2 = word(HEAD.slice(16, 24));
const HEAD_3 = word(HEAD.slice(24, 32));
const HEAD_4 = word(HEAD.slice(32, 40));
const HEAD_5 = word(HEAD.slice(40, 48));
const HEAD_6 = word(HEAD.slice(48, 56));
/** Bytes that must follow a position for `headAt` to look at it. */
const HEAD_ROOM = 80;
/** The same for `stageAt` and `verbAt`. */
const VALUE_ROOM = 20;

const METADATA = word('Metadata');
const REQUEST = word('Request"');
const REQUEST_RESPONSE = word('RequestR');
const REQUEST_RESPONSE_END = word('esponse"');

const STAGE_REQUEST = word('"Request');
const STAGE_RECEIVED = word('Received');
const STAGE_RESPONSE = word('"Respons');
const STAGE_STARTED = word('eStarted');
const STAGE_COMPLETE = word('eComplet');

const UPDATE = word('"update"');
const CREATE = word('"create"');
const DELETE = word('"delete"');
const GET = half('"get');
const LIST = half('"lis');
const LIST_END = half('ist"');
const WATCH = half('"wat');
const WATCH_END = half('tch"');
const PATCH = half('"pat');

/** Numbers of what `headAt` found, by which `headLevels` and `headLengths` go; 0 is nothing. */
export const headLevels: readonly Level[] = ['None', 'Metadata', 'Request', 'RequestResponse'];
/** Bytes up to and with the comma behind the level. */
export const headLengths = new Int32Array([0, HEAD_BYTES + 10, HEAD_BYTES + 9, HEAD_BYTES + 17]);

/** Which of the usual beginnings stands at `at`. */
export function headAt(view: DataView, at: number, end: number): number {
  if (
    at + HEAD_ROOM > end ||
    view.getFloat64(at, true) !== HEAD_0 ||
    view.getFloat64(at + 8, true) !== HEAD_1 ||
    view.getFloat64(at + 16, true) !== HEAD_2 ||
    view.getFloat64(at + 24, true) !== HEAD_3 ||
    view.getFloat64(at + 32, true) !== HEAD_4 ||
    view.getFloat64(at + 40, true) !== HEAD_5 ||
    view.getFloat64(at + 48, true) !== HEAD_6
  ) {
    return 0;
  }
  const level = view.getFloat64(at + HEAD_BYTES, true);
  if (level === METADATA) {
    return view.getUint8(at + HEAD_BYTES + 8) === QUOTE && view.getUint8(at + HEAD_BYTES + 9) === COMMA ? 1 : 0;
  }
  if (level === REQUEST) return view.getUint8(at + HEAD_BYTES + 8) === COMMA ? 2 : 0;
  if (level !== REQUEST_RESPONSE || view.getFloat64(at + HEAD_BYTES + 8, true) !== REQUEST_RESPONSE_END) return 0;
  return view.getUint8(at + HEAD_BYTES + 16) === COMMA ? 3 : 0;
}

/** The stage whose string is at `at`; '' for another value. Its bytes are two more than its characters. */
export function stageAt(view: DataView, at: number, end: number): Stage | '' {
  if (at + VALUE_ROOM > end) return '';
  const start = view.getFloat64(at, true);
  const rest = view.getFloat64(at + 8, true);
  if (start === STAGE_RESPONSE) {
    if (rest === STAGE_COMPLETE) {
      return view.getUint8(at + 16) === 0x65 && view.getUint8(at + 17) === QUOTE ? 'ResponseComplete' : '';
    }
    return rest === STAGE_STARTED && view.getUint8(at + 16) === QUOTE ? 'ResponseStarted' : '';
  }
  return start === STAGE_REQUEST && rest === STAGE_RECEIVED && view.getUint8(at + 16) === QUOTE
    ? 'RequestReceived'
    : '';
}

/** The verb whose string is at `at`; '' for a rarer one or another value. Its bytes are two more than its characters. */
export function verbAt(view: DataView, at: number, end: number): string {
  if (at + VALUE_ROOM > end) return '';
  const start = view.getInt32(at, true);
  if (start === GET) return view.getUint8(at + 4) === QUOTE ? 'get' : '';
  if (start === WATCH) return view.getInt32(at + 3, true) === WATCH_END ? 'watch' : '';
  if (start === LIST) return view.getInt32(at + 2, true) === LIST_END ? 'list' : '';
  if (start === PATCH) return view.getInt32(at + 3, true) === WATCH_END ? 'patch' : '';
  const whole = view.getFloat64(at, true);
  if (whole === UPDATE) return 'update';
  if (whole === CREATE) return 'create';
  return whole === DELETE ? 'delete' : '';
}
