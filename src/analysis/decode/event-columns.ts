/**
 * The audit events of one batch as columns of numbers in one block of memory, which goes from thread to thread without
 * being copied. What is said again and again stands in tables (facets.ts); what is seldom asked for is read again from
 * the event's own bytes.
 */
import { hashAuditID } from '../../correlate/requests/audit-id-hash.js';
import type { AuditEvent, Level, Stage } from '../../model/record.js';

const STAGES: readonly Stage[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'];
const LEVELS: readonly Level[] = ['None', 'Metadata', 'Request', 'RequestResponse'];
const DOUBLES = 4;
const WORDS = 8;
/** Longer Audit-IDs are read again from the event; apiservers make 36 characters. */
const MAX_ID = 1024;

export class EventColumns {
  readonly timeUs: Float64Array;
  readonly receivedUs: Float64Array;
  readonly offset: Float64Array;
  readonly line: Float64Array;
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** Which of the batch's stretches of bytes the event lies in. */
  readonly stretch: Int32Array;
  /** Rows of the tables; -1 for what is not in them. */
  readonly client: Int32Array;
  readonly target: Int32Array;
  /** Where the Audit-ID stands in the event's bytes, character for character; -1 where it does not. */
  readonly idStart: Int32Array;
  readonly idHash: Int32Array;
  /** Stage, level, `truncated`, code and the Audit-ID's length. */
  readonly bits: Int32Array;

  constructor(
    readonly count: number,
    readonly memory: ArrayBuffer = new ArrayBuffer(count * (DOUBLES * 8 + WORDS * 4)),
  ) {
    const doubles = (column: number) => new Float64Array(memory, column * count * 8, count);
    const words = (column: number) => new Int32Array(memory, (DOUBLES * 8 + column * 4) * count, count);
    this.timeUs = doubles(0);
    this.receivedUs = doubles(1);
    this.offset = doubles(2);
    this.line = doubles(3);
    this.start = words(0);
    this.end = words(1);
    this.stretch = words(2);
    this.client = words(3);
    this.target = words(4);
    this.idStart = words(5);
    this.idHash = words(6);
    this.bits = words(7);
  }

  /** Puts an event in row `at`; `idStart` as in the column. */
  put(at: number, event: AuditEvent, stretch: number, client: number, target: number, idStart: number): void {
    this.timeUs[at] = event.timeUs;
    this.receivedUs[at] = event.receivedUs;
    this.offset[at] = event.offset;
    this.line[at] = event.line;
    this.start[at] = event.start;
    this.end[at] = event.end;
    this.stretch[at] = stretch;
    this.client[at] = client;
    this.target[at] = target;
    this.idStart[at] = idStart;
    this.idHash[at] = hashAuditID(event.auditID);
    const idLength = idStart < 0 ? 0 : event.auditID.length;
    this.bits[at] =
      stageBits(event.stage) |
      (levelBits(event.level) << 2) |
      ((event.truncated ? 1 : 0) << 4) |
      (event.code << 5) |
      (idLength << 15);
  }
}

function stageBits(stage: Stage): number {
  return stage === 'RequestReceived' ? 0 : stage === 'ResponseComplete' ? 2 : stage === 'ResponseStarted' ? 1 : 3;
}

function levelBits(level: Level): number {
  return level === 'Metadata' ? 1 : level === 'RequestResponse' ? 3 : level === 'Request' ? 2 : 0;
}

export function stageIn(bits: number): Stage {
  return STAGES[bits & 3] as Stage;
}

export function levelIn(bits: number): Level {
  return LEVELS[(bits >> 2) & 3] as Level;
}

export function truncatedIn(bits: number): boolean {
  return (bits & 16) !== 0;
}

export function codeIn(bits: number): number {
  return (bits >> 5) & 0x3ff;
}

export function idLengthIn(bits: number): number {
  return bits >>> 15;
}

/** Finds Audit-IDs in the bytes of their events; in one log they stand at the same few distances from the beginning. */
export class IDFinder {
  /** By the length of the level's name, which stands before. */
  readonly #distances = new Int32Array(16);

  /** Where the ID's characters stand as bytes; -1 where they do not (escaped, not ASCII, too long). */
  find({ bytes, start, end, auditID, level }: AuditEvent): number {
    if (auditID.length > MAX_ID) return -1;
    const guess = start + (this.#distances[level.length] as number);
    if (guess + auditID.length <= end && sameText(bytes, guess, auditID)) return guess;
    const found = bytes.indexOf('"auditID":"', start) + 11;
    if (found < start + 11 || found + auditID.length > end || !sameText(bytes, found, auditID)) return -1;
    this.#distances[level.length] = found - start;
    return found;
  }
}

function sameText(bytes: Buffer, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charCodeAt(index);
    if (bytes[at + index] !== char || char > 0x7f) return false;
  }
  return true;
}
