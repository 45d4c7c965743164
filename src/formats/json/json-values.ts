/** Turns one whole JSON value into records: an audit event first of all, then klog JSON, leases, discovery. */
import { isUtf8 } from 'node:buffer';
import type { InputRef } from '../../model/origin.js';
import type { AuditEvent } from '../../model/record.js';
import type { AuditDecoder, Verdict } from '../audit/decoder.js';
import { isDated } from '../audit/timestamp.js';
import { TOO_DEEP } from '../audit/too-deep.js';
import { discoveryViewOf, isObject, type JsonObject, readDiscovery, readLeases } from '../documents/index.js';
import { readJsonLine } from '../klog/index.js';
import type { Emit } from '../outbox.js';
import type { ProblemLog } from '../problem-log.js';
import type { TextLines } from '../text-lines.js';

const DETAILS: Readonly<Record<Verdict, string>> = {
  'not-json': 'looks like JSON but is not',
  'cut-line': 'JSON that ends too early',
  'not-audit': 'JSON, but no record that an apiserver writes',
  'json-too-deep': TOO_DEEP,
};

/** Knows the objects that stand around records: see Envelopes. */
export interface ObjectReader {
  /** Takes an object that is no record; false when nothing is known about it. */
  takeObject(value: JsonObject, line: number, offset: number): boolean;
  /** Gives the event on as its API server wrote it. */
  giveEvent(event: AuditEvent, emit: Emit): void;
}

export class JsonValues {
  private readonly view: ReturnType<typeof discoveryViewOf>;

  constructor(
    input: InputRef,
    private readonly audit: AuditDecoder,
    private readonly text: TextLines,
    private readonly emit: Emit,
    private readonly problems: ProblemLog,
    private readonly objects?: ObjectReader,
  ) {
    this.view = discoveryViewOf(input.name);
  }

  /**
   * Takes the value `bytes[start, end)`. `verdict`: what the audit decoder said about the very same bytes, if asked.
   * `checked`: the bytes are known to be UTF-8.
   */
  take(
    bytes: Buffer,
    start: number,
    end: number,
    line: number,
    offset: number,
    checked: boolean,
    verdict?: Verdict,
  ): void {
    const told =
      verdict ?? (isKlogJson(bytes, start) ? 'not-audit' : this.audit.decode(bytes, start, end, line, offset));
    if (typeof told !== 'string') {
      this.acceptAudit(told, checked);
      return;
    }
    if (!checked) this.checkUtf8(bytes, start, end, line, offset);
    const value = told === 'not-audit' ? parseObject(bytes, start, end) : undefined;
    if (value === undefined) {
      const reason = told === 'not-audit' ? 'not-json' : told;
      this.problems.add(reason, line, offset, DETAILS[reason]);
      return;
    }
    if (!this.takeObject(value, bytes, start, end, line, offset))
      this.problems.add('not-audit', line, offset, DETAILS['not-audit']);
  }

  /** Takes an event that the decoder gave. */
  acceptAudit(event: AuditEvent, checked: boolean): void {
    this.text.sawAudit(event.timeUs);
    if (!checked) this.checkUtf8(event.bytes, event.start, event.end, event.line, event.offset);
    if (event.timeUs === 0) {
      // Nothing can be said of when it was, and so of nothing that it has to do with.
      this.problems.add('bad-timestamp', event.line, event.offset, 'an event without a readable time');
      return;
    }
    if (this.objects === undefined) this.emit(event);
    else this.objects.giveEvent(event, this.emit);
  }

  private takeObject(
    value: JsonObject,
    bytes: Buffer,
    start: number,
    end: number,
    line: number,
    offset: number,
  ): boolean {
    const log = value.ts === undefined ? undefined : readJsonLine(value, textOf(bytes, start, end), line, offset);
    if (log !== undefined) {
      if (isDated(log.timeUs)) this.text.takeJsonLog(log);
      else this.problems.add('bad-timestamp', line, offset, 'a line of a process log without a readable time');
      return true;
    }
    const leases = readLeases(value, line, offset);
    if (leases !== undefined) {
      for (const lease of leases) {
        if (lease !== undefined) this.emit(lease);
        else this.problems.add('unreadable', line, offset, 'a list of leases, or a lease, without what it should hold');
      }
      return true;
    }
    const discovery = readDiscovery(value, this.view, line, offset);
    if (discovery !== undefined) {
      if (discovery !== 'damaged') this.emit(discovery);
      else this.problems.add('unreadable', line, offset, 'a discovery document without what it should hold');
      return true;
    }
    return this.objects?.takeObject(value, line, offset) === true || isEmptyEventList(value);
  }

  private checkUtf8(bytes: Buffer, start: number, end: number, line: number, offset: number): void {
    if (!isUtf8(bytes.subarray(start, end)))
      this.problems.add('not-utf8', line, offset, 'a record with bytes that are not UTF-8');
  }
}

/** `{"ts":`, as every line of klog's JSON form begins. */
export function isKlogJson(bytes: Buffer, start: number): boolean {
  return bytes[start + 2] === 116 && bytes[start + 3] === 115 && bytes[start + 4] === 34 && bytes[start + 1] === 34;
}

function parseObject(bytes: Buffer, start: number, end: number): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8', start, end));
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function textOf(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, Math.min(end, start + 8000));
}

/** A body of the audit webhook without events: nothing is lost. */
function isEmptyEventList(value: JsonObject): boolean {
  return value.kind === 'EventList' && value.items === undefined;
}
