/**
 * Cuts a stream without NUL bytes into text lines and JSON values. Whole lines are decoded where they lie; only what a
 * chunk leaves unfinished is carried over. Arrays and EventLists are taken item by item, so they may have any size.
 */
import { isUtf8 } from 'node:buffer';
import type { InputRef } from '../model/origin.js';
import type { AuditDecoder } from './audit/decoder.js';
import { isTooDeep, TOO_DEEP } from './audit/too-deep.js';
import { Envelopes } from './envelopes/index.js';
import { isKlogJson, JsonValues } from './json/json-values.js';
import { ListNesting } from './list-nesting.js';
import { OpenValue } from './open-value.js';
import type { Emit } from './outbox.js';
import { Place } from './place.js';
import type { ProblemLog } from './problem-log.js';
import { findRecord, OVERLAP } from './resync.js';
import { TextLines } from './text-lines.js';

/** A line that is still unfinished at this length is read value by value instead of being gathered. */
const LONG_LINE = 64 * 1024;
/** White space at the beginning of a text line that is kept. */
const MAX_INDENT = 1024;

export class LineReader {
  private readonly place = new Place();
  private readonly list = new ListNesting();
  private readonly text: TextLines;
  private readonly values: JsonValues;
  private readonly value: OpenValue;
  private readonly envelopes: Envelopes;

  constructor(
    input: InputRef,
    private readonly audit: AuditDecoder,
    private readonly maxBytes: number,
    emit: Emit,
    private readonly problems: ProblemLog,
  ) {
    this.text = new TextLines(input, emit, problems);
    this.envelopes = new Envelopes(input, audit, maxBytes, emit, problems);
    this.values = new JsonValues(input, audit, this.text, emit, problems, this.envelopes);
    this.value = new OpenValue(this.place, this.list, this.text, this.values, maxBytes, problems);
  }

  /** The line being read, from 1. */
  get line(): number {
    return this.place.line;
  }

  /** Bodies of an audit webhook so far. */
  get bodies(): number {
    return this.list.bodies;
  }

  /** Takes bytes that follow the earlier ones; `base` is their stream offset. */
  feed(bytes: Buffer, base: number): void {
    const { place } = this;
    const { carry } = place;
    let rest = bytes;
    let restBase = base;
    if (carry.length > 0 && place.mode !== 'value') {
      const lineEnd = place.mode === 'line' ? rest.indexOf(10) + 1 : rest.length;
      if (lineEnd === 0) {
        carry.add(rest, restBase);
        this.readLongLine(restBase + rest.length);
        return;
      }
      this.run(carry.take(rest.subarray(0, lineEnd)), restBase + lineEnd);
      rest = rest.subarray(lineEnd);
      restBase += lineEnd;
    } else if (carry.length === 0 && place.mode === 'line' && !place.midLine) place.lineOffset = base;
    if (rest.length > 0) this.run(rest, restBase + rest.length);
  }

  /** Ends whatever is unfinished, as before a run of NUL bytes. */
  breakOff(): void {
    this.endUnfinished();
    this.flush();
  }

  /** Hands out the log lines that wait for continuation lines. */
  flush(): void {
    this.text.flush();
    this.envelopes.flush();
  }

  /** The end of the input. */
  finish(): void {
    const cut = this.endUnfinished();
    const { line, base, bytes } = this.place;
    if (this.list.kind !== 'none' && !cut && !this.list.isHurt)
      this.problems.add('cut-line', line, base + bytes.length, 'the input ends inside a list of events');
    this.list.leave();
    this.text.finish();
    this.envelopes.finish();
  }

  /** Whether something was lost by it. */
  private endUnfinished(): boolean {
    const { place } = this;
    const { carry } = place;
    if (place.mode === 'line' && carry.length > 0) {
      const end = carry.offset + carry.length + 1;
      this.run(carry.take(Buffer.from('\n')), end);
      const cut = this.endUnfinished();
      place.line--;
      return cut;
    }
    const cut = place.mode === 'value' && this.value.breakOff();
    place.mode = 'line';
    place.midLine = false;
    carry.clear();
    return cut;
  }

  /** Reads `bytes`, which end at the stream offset `end`. */
  private run(bytes: Buffer, end: number, isLong = false): void {
    const { place } = this;
    place.use(bytes, end - bytes.length);
    let long = isLong;
    let at = 0;
    while (at < place.bytes.length) {
      if (place.mode === 'value') at = this.value.resume(at);
      else if (place.mode === 'seek') at = this.seek(at);
      else if (place.mode === 'skip') at = this.skip(at);
      else if (place.mode === 'text') at = this.readText(at);
      else if (place.midLine || long) at = this.readRest(at);
      else {
        const lineEnd = place.bytes.indexOf(10, at);
        if (lineEnd >= 0) at = this.readEventLine(at, lineEnd) ? place.endLine(lineEnd) : this.readRest(at);
        else if (place.bytes.length - at > LONG_LINE) long = true;
        else at = place.carryFrom(at);
      }
    }
  }

  /** The hot path: a line that is one audit event. */
  private readEventLine(start: number, lineEnd: number): boolean {
    const { place } = this;
    const { bytes } = place;
    if (bytes[start] !== 123 || lineEnd - start > this.maxBytes) return false;
    let end = lineEnd;
    if (bytes[end - 1] === 13) end--;
    if (bytes[end - 1] === 44 && this.list.kind !== 'none') end--;
    if (bytes[end - 1] !== 125 || isKlogJson(bytes, start) || isListBody(bytes, start)) return false;
    const told = this.audit.decode(bytes, start, end, place.line, place.base + start);
    if (typeof told !== 'string') {
      this.values.acceptAudit(told, place.bytesAreUtf8);
      return true;
    }
    place.told = { verdict: told, start, end };
    return false;
  }

  /** Reads on in a line: white space, the punctuation of lists, the beginning of a value, or text. */
  private readRest(start: number): number {
    const { place, list } = this;
    const { bytes } = place;
    if (!place.midLine && list.kind === 'none' && this.text.continues(bytes[start])) return this.readText(start);
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === 10) return place.endLine(at);
      if (byte === 32 || byte === 9 || byte === 13) continue;
      if (byte === 123) return this.value.begin(at);
      if (byte === 44 && (place.midLine || list.kind !== 'none')) place.midLine = true;
      else if (byte === 91 && (place.midLine || opensArray(bytes[at + 1]))) {
        list.enterArray();
        place.midLine = true;
      } else if (byte === 93 && list.kind === 'items') return this.value.beginTail(at + 1);
      else if (byte === 93 && (list.kind === 'array' || place.midLine)) {
        list.leave();
        place.midLine = true;
      } else if (place.midLine) return this.damage(at);
      else return this.readText(place.base + at - place.lineOffset > MAX_INDENT ? at : start);
    }
    return bytes.length;
  }

  private readText(start: number): number {
    const { place } = this;
    const { bytes } = place;
    place.mode = 'line';
    const lineEnd = bytes.indexOf(10, start);
    if (lineEnd < 0) {
      place.carry.isText = true;
      return place.carryFrom(start);
    }
    const end = bytes[lineEnd - 1] === 13 && lineEnd > start ? lineEnd - 1 : lineEnd;
    this.list.leave();
    const offset = place.base + start;
    if (end - start > this.maxBytes)
      this.problems.add('line-too-long', place.line, offset, 'a line above the size limit');
    else this.takeText(start, end, offset);
    return place.endLine(lineEnd);
  }

  private takeText(start: number, end: number, offset: number): void {
    const { bytes, bytesAreUtf8, line } = this.place;
    if (!bytesAreUtf8 && !isUtf8(bytes.subarray(start, end)))
      this.problems.add('not-utf8', line, offset, 'a line with bytes that are not UTF-8');
    const { envelopes } = this;
    if (envelopes.takeLine(bytes, start, end, line, offset) || envelopes.takeQuoted(bytes, start, end, line, offset))
      return;
    if (!this.text.hasOpen && isTooDeep(this.audit, bytes, start, end)) {
      this.problems.add('json-too-deep', line, offset, TOO_DEEP);
      return;
    }
    this.text.take(bytes, start, end, line, offset);
  }

  /** Something that is no value stands behind one on the same line. */
  private damage(at: number): number {
    this.problems.add('not-json', this.place.line, this.place.base + at, 'text behind a JSON value');
    this.place.mode = 'seek';
    return at + 1;
  }

  /** Looks for the next record on a damaged line. */
  private seek(start: number): number {
    const { place } = this;
    place.midLine = true;
    const next = findRecord(place.bytes, start, this.list.kind !== 'none');
    if (next.found === 'record') return this.value.begin(next.at);
    if (next.found === 'nothing') return place.carryFrom(Math.max(start, next.at - OVERLAP));
    place.mode = 'line';
    return next.at;
  }

  private skip(start: number): number {
    const lineEnd = this.place.bytes.indexOf(10, start);
    if (lineEnd < 0) return this.place.bytes.length;
    this.place.mode = 'line';
    return this.place.endLine(lineEnd);
  }

  /** A line has no end yet: JSON is read as far as it goes, text waits until it is too long. */
  private readLongLine(end: number): void {
    const { carry, line } = this.place;
    if (carry.length <= LONG_LINE) return;
    if (!carry.isText) {
      this.run(carry.take(Buffer.alloc(0)), end, true);
    } else if (carry.length > this.maxBytes) {
      this.problems.add('line-too-long', line, carry.offset, 'a line above the size limit');
      carry.clear();
      this.place.mode = 'skip';
    }
  }
}

/** `{"kind":"EventList"`, which the audit decoder need not see as a whole. */
function isListBody(bytes: Buffer, start: number): boolean {
  return bytes[start + 14] === 76 && bytes[start + 9] === 69 && bytes[start + 2] === 107;
}

function opensArray(next: number | undefined): boolean {
  return next === undefined || next === 123 || next === 93 || next === 10 || next === 13;
}
