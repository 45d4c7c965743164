/**
 * The audit events of one batch as columns of numbers in one block of memory, which goes from thread to thread without
 * being copied. What is said again and again stands in tables (facets.ts); what is seldom asked for is read again from
 * the event's own bytes.
 */
import type { AuditEvent, Level, Stage } from '../../model/record.js';

const STAGES: readonly Stage[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'];
const LEVELS: readonly Level[] = ['None', 'Metadata', 'Request', 'RequestResponse'];
const DOUBLES = 4;
const WORDS = 8;
const ROW_BYTES = DOUBLES * 8 + WORDS * 4;
/** Memory for the columns of a usual batch, which goes to and fro between the threads. */
const USUAL_BYTES = 192 * 1024;

/** The columns that all stages of a request share. */
export type RequestColumns = Readonly<Record<'client' | 'target' | 'idHash', number>>;

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
  readonly idHash: Int32Array;
  /** Which of the batch's names it is; -1 where the name is only in the event. */
  readonly name: Int32Array;
  /** Stage, level, `truncated` and code. */
  readonly bits: Int32Array;

  /** `memory` has room for `count` rows; see columnMemory. */
  constructor(
    readonly count: number,
    readonly memory: ArrayBuffer,
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
    this.idHash = words(5);
    this.name = words(6);
    this.bits = words(7);
  }

  put(at: number, event: AuditEvent, stretch: number, request: RequestColumns, name: number): void {
    this.timeUs[at] = event.timeUs;
    this.receivedUs[at] = event.receivedUs;
    this.offset[at] = event.offset;
    this.line[at] = event.line;
    this.start[at] = event.start;
    this.end[at] = event.end;
    this.stretch[at] = stretch;
    this.client[at] = request.client;
    this.target[at] = request.target;
    this.name[at] = name;
    this.idHash[at] = request.idHash;
    this.bits[at] =
      stageBits(event.stage) | (levelBits(event.level) << 2) | ((event.truncated ? 1 : 0) << 4) | (event.code << 5);
  }
}

/** Memory for the columns of so many events, taken from what came back where possible. */
export function columnMemory(count: number, spare: ArrayBuffer[]): ArrayBuffer {
  if (count * ROW_BYTES > USUAL_BYTES) return new ArrayBuffer(count * ROW_BYTES);
  return spare.pop() ?? new ArrayBuffer(USUAL_BYTES);
}

export function isUsualMemory(memory: ArrayBuffer): boolean {
  return memory.byteLength === USUAL_BYTES;
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
