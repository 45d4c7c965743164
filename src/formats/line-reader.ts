/**
 * Cuts a stream without NUL bytes into text lines and JSON values. Whole lines are decoded where they lie; only what a
 * chunk leaves unfinished is carried over. Arrays and EventLists are taken item by item, so they may have any size.
 */
import { isUtf8 } from 'node:buffer';
import type { InputRef } from '../model/origin.js';
import type { Rec } from '../model/record.js';
import type { AuditDecoder, Verdict } from './audit/decoder.js';
import { Carry } from './carry.js';
import { unwrapLine } from './envelopes/index.js';
import { isKlogJson, JsonValues } from './json/json-values.js';
import { ValueScanner } from './json/value-scanner.js';
import type { ProblemLog } from './problem-log.js';
import { findRecord, OVERLAP, REWIND } from './resync.js';
import { TextLines } from './text-lines.js';
import { isUtf8SoFar } from './utf8.js';

/** A line that is still unfinished at this length is read value by value instead of being gathered. */
const LONG_LINE = 64 * 1024;
/** White space at the beginning of a text line that is kept. */
const MAX_INDENT = 1024;

/** What the values being read are items of. */
type Container = 'none' | 'array' | 'items';

/** `line`: gathering a line. `value`: inside a JSON value. `seek`: behind damage. `skip`: to the end of the line. */
type Mode = 'line' | 'value' | 'seek' | 'skip';

export class LineReader {
  /** The line being read, from 1. */
  line = 1;
  private mode: Mode = 'line';
  /** Something of this line has been taken already. */
  private midLine = false;
  private container: Container = 'none';
  /** What the list whose items are being read stands in. */
  private outer: Container = 'none';
  /** An item of the list was damaged: that its end is missing is no news. */
  private containerIsHurt = false;
  private bytes: Buffer = Buffer.alloc(0);
  /** Stream offset of `bytes[0]`. */
  private base = 0;
  private bytesAreUtf8 = true;
  private lineOffset = 0;
  /** What earlier chunks left unfinished; ends where `bytes` begins. */
  private readonly carry = new Carry();
  /** Where in `bytes` the open value begins or goes on. */
  private valueStart = 0;
  private valueOffset = 0;
  private valueLine = 0;
  /** `keep`: becomes a record. `drop`: too long. `tail`: what follows the items of a list. */
  private valueUse: 'keep' | 'drop' | 'tail' = 'keep';
  private valueOpensLine = false;
  private verdict: Verdict | undefined;
  private verdictStart = -1;
  private verdictEnd = -1;
  private readonly scanner = new ValueScanner();
  private readonly text: TextLines;
  private readonly values: JsonValues;

  constructor(
    input: InputRef,
    private readonly audit: AuditDecoder,
    private readonly maxBytes: number,
    emit: (record: Rec) => void,
    private readonly problems: ProblemLog,
  ) {
    this.text = new TextLines(input, emit, problems);
    this.values = new JsonValues(input, audit, this.text, emit, problems);
  }

  /** Takes bytes that follow the earlier ones; `base` is their stream offset. */
  feed(bytes: Buffer, base: number): void {
    let rest = bytes;
    let restBase = base;
    if (this.carry.length > 0 && this.mode !== 'value') {
      const lineEnd = this.mode === 'line' ? rest.indexOf(10) + 1 : rest.length;
      if (lineEnd === 0) {
        this.carry.add(rest, restBase);
        this.readLongLine(restBase + rest.length);
        return;
      }
      this.run(this.carry.take(rest.subarray(0, lineEnd)), restBase + lineEnd);
      rest = rest.subarray(lineEnd);
      restBase += lineEnd;
    } else if (this.carry.length === 0 && this.mode === 'line' && !this.midLine) this.lineOffset = base;
    if (rest.length > 0) this.run(rest, restBase + rest.length);
  }

  /** Ends whatever is unfinished, as before a run of NUL bytes. */
  breakOff(): void {
    this.endUnfinished();
    this.text.flush();
  }

  /** Hands out the log line that waits for continuation lines. */
  flush(): void {
    this.text.flush();
  }

  /** The end of the input. */
  finish(): void {
    const cut = this.endUnfinished();
    if (this.container !== 'none' && !cut && !this.containerIsHurt)
      this.problems.add('cut-line', this.line, this.base + this.bytes.length, 'the input ends inside a list of events');
    this.container = 'none';
    this.text.finish();
  }

  /** Whether something was lost by it. */
  private endUnfinished(): boolean {
    if (this.mode === 'line' && this.carry.length > 0) {
      const end = this.carry.offset + this.carry.length + 1;
      this.run(this.carry.take(Buffer.from('\n')), end);
      const cut = this.endUnfinished();
      this.line--;
      return cut;
    }
    const cut = this.mode === 'value' && this.valueUse !== 'drop';
    if (this.mode === 'value') {
      this.line += this.scanner.newlines;
      if (cut) this.problems.add('cut-line', this.valueLine, this.valueOffset, 'JSON that ends too early');
      if (this.valueUse === 'tail') this.container = 'none';
    }
    this.mode = 'line';
    this.midLine = false;
    this.carry.clear();
    return cut;
  }

  /** Reads `bytes`, which end at the stream offset `end`. */
  private run(bytes: Buffer, end: number, isLong = false): void {
    this.use(bytes, end - bytes.length);
    let long = isLong;
    this.valueStart = 0;
    let at = 0;
    while (at < this.bytes.length) {
      if (this.mode === 'value') at = this.resumeValue(at);
      else if (this.mode === 'seek') at = this.seek(at);
      else if (this.mode === 'skip') at = this.skip(at);
      else if (this.midLine || long) at = this.readRest(at);
      else {
        const lineEnd = this.bytes.indexOf(10, at);
        if (lineEnd >= 0) at = this.readEventLine(at, lineEnd) ? this.endLine(lineEnd) : this.readRest(at);
        else if (this.bytes.length - at > LONG_LINE) long = true;
        else at = this.carryFrom(at);
      }
    }
  }

  private use(bytes: Buffer, base: number): void {
    this.bytes = bytes;
    this.base = base;
    this.verdictStart = -1;
    this.bytesAreUtf8 = isUtf8SoFar(bytes);
  }

  private endLine(at: number): number {
    this.line++;
    this.midLine = false;
    this.lineOffset = this.base + at + 1;
    return at + 1;
  }

  /** The hot path: a line that is one audit event. */
  private readEventLine(start: number, lineEnd: number): boolean {
    const { bytes } = this;
    if (bytes[start] !== 123 || lineEnd - start > this.maxBytes) return false;
    let end = lineEnd;
    if (bytes[end - 1] === 13) end--;
    if (bytes[end - 1] === 44 && this.container !== 'none') end--;
    if (bytes[end - 1] !== 125 || isKlogJson(bytes, start) || isListBody(bytes, start)) return false;
    const told = this.audit.decode(bytes, start, end, this.line, this.base + start);
    if (typeof told !== 'string') {
      this.values.acceptAudit(told, this.bytesAreUtf8);
      return true;
    }
    this.verdict = told;
    this.verdictStart = start;
    this.verdictEnd = end;
    return false;
  }

  /** Reads on in a line: white space, the punctuation of lists, the beginning of a value, or text. */
  private readRest(start: number): number {
    const { bytes } = this;
    if (!this.midLine && this.container === 'none' && this.text.continues(bytes[start])) return this.readText(start);
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === 10) return this.endLine(at);
      if (byte === 32 || byte === 9 || byte === 13) continue;
      if (byte === 123) return this.beginValue(at);
      if (byte === 44 && (this.midLine || this.container !== 'none')) this.midLine = true;
      else if (byte === 91 && (this.midLine || opensArray(bytes[at + 1]))) {
        this.container = 'array';
        this.containerIsHurt = false;
        this.midLine = true;
      } else if (byte === 93 && this.container === 'items') return this.beginTail(at + 1);
      else if (byte === 93 && (this.container === 'array' || this.midLine)) {
        this.container = 'none';
        this.midLine = true;
      } else if (this.midLine) return this.damage(at);
      else return this.readText(this.base + at - this.lineOffset > MAX_INDENT ? at : start);
    }
    return bytes.length;
  }

  private readText(start: number): number {
    const { bytes } = this;
    const lineEnd = bytes.indexOf(10, start);
    if (lineEnd < 0) {
      this.carry.isText = true;
      return this.carryFrom(start);
    }
    const end = bytes[lineEnd - 1] === 13 && lineEnd > start ? lineEnd - 1 : lineEnd;
    this.container = 'none';
    const offset = this.base + start;
    if (end - start > this.maxBytes)
      this.problems.add('line-too-long', this.line, offset, 'a line above the size limit');
    else this.takeText(start, end, offset);
    return this.endLine(lineEnd);
  }

  private takeText(start: number, end: number, offset: number): void {
    const { bytes } = this;
    if (!this.bytesAreUtf8 && !isUtf8(bytes.subarray(start, end)))
      this.problems.add('not-utf8', this.line, offset, 'a line with bytes that are not UTF-8');
    const inner = unwrapLine(bytes, start, end);
    if (inner === undefined) this.text.take(bytes, start, end, this.line, offset);
    else if (inner.bytes[inner.start] === 123)
      this.values.take(inner.bytes, inner.start, inner.end, this.line, offset, true);
    else this.text.take(inner.bytes, inner.start, inner.end, this.line, offset);
  }

  private beginValue(at: number): number {
    this.scanner.reset();
    this.valueUse = 'keep';
    this.valueOpensLine = !this.midLine;
    return this.openValue(at);
  }

  /** What follows the items of a list body, up to its closing brace. */
  private beginTail(at: number): number {
    this.scanner.resetInsideObject();
    this.container = this.outer;
    this.valueUse = 'tail';
    this.valueOpensLine = false;
    return this.openValue(at);
  }

  private openValue(at: number): number {
    this.mode = 'value';
    this.valueStart = at;
    this.valueOffset = this.base + at;
    this.valueLine = this.line;
    return at;
  }

  private resumeValue(start: number): number {
    const { scanner } = this;
    let at = scanner.scan(this.bytes, start, this.bytes.length, this.base);
    while (scanner.status === 'items' && this.valueUse === 'keep') {
      if (this.isEventList(at)) {
        this.outer = this.container === 'array' ? 'array' : 'none';
        this.container = 'items';
        this.containerIsHurt = false;
        return this.endValue(at);
      }
      at = scanner.scan(this.bytes, at, this.bytes.length, this.base);
    }
    if (scanner.status === 'bad') return this.damageInValue(at);
    const tooLong = this.base + at - this.valueOffset > this.maxBytes;
    if (tooLong && this.valueUse === 'keep') {
      this.problems.add('line-too-long', this.valueLine, this.valueOffset, 'a JSON value above the size limit');
      this.valueUse = 'drop';
      this.carry.clear();
    }
    if (scanner.status === 'more') {
      if (this.valueUse === 'keep') this.carry.add(this.bytes.subarray(this.valueStart), this.base + this.valueStart);
      this.valueStart = 0;
      return at;
    }
    if (this.valueUse === 'keep') this.takeValue(at);
    return this.endValue(at);
  }

  private takeValue(end: number): void {
    if (this.carry.length > 0) {
      const whole = this.carry.take(this.bytes.subarray(0, end));
      this.values.take(whole, 0, whole.length, this.valueLine, this.valueOffset, false);
      return;
    }
    const known = this.verdictStart === this.valueStart && this.verdictEnd === end ? this.verdict : undefined;
    this.values.take(this.bytes, this.valueStart, end, this.valueLine, this.valueOffset, this.bytesAreUtf8, known);
  }

  private endValue(at: number): number {
    this.line += this.scanner.newlines;
    this.mode = 'line';
    this.midLine = true;
    this.carry.clear();
    return at;
  }

  /** Whether the `items` that were just opened belong to a list of events, or may for all that is known so far. */
  private isEventList(at: number): boolean {
    const prefix = this.carry.joined(this.bytes.subarray(this.valueStart, at)).toString('latin1');
    if (prefix.includes('"EventList"') || prefix.includes('audit.k8s.io/')) return true;
    return !prefix.includes('"kind"') && !prefix.includes('"apiVersion"');
  }

  /** The open value cannot go on at `at`. What follows it is read as if the value had never been there. */
  private damageInValue(at: number): number {
    const { scanner } = this;
    const onFirstLine = scanner.lineStart < 0;
    if (onFirstLine && this.isProcessText()) {
      this.mode = 'line';
      return this.readText(this.lineOffset - this.base);
    }
    if (this.valueUse !== 'drop') {
      const isCut = !onFirstLine || this.bytes[at] === 10;
      const reason = scanner.tooDeep ? 'json-too-deep' : isCut ? 'cut-line' : 'not-json';
      this.problems.add(reason, this.valueLine, this.valueOffset, isCut ? 'JSON that ends too early' : 'damaged JSON');
    }
    this.containerIsHurt = true;
    if (onFirstLine) {
      this.mode = 'seek';
      return this.goBack(Math.max(this.valueOffset + 1, this.base + at - REWIND), at);
    }
    this.line += scanner.newlines;
    this.lineOffset = scanner.lineStart;
    this.midLine = false;
    this.mode = 'line';
    if (this.valueUse === 'tail') this.container = 'none';
    return this.goBack(scanner.lineStart, at);
  }

  /** Braces that belong to the text of a process log, not to a record: `{0xc000…` in a stack trace. */
  private isProcessText(): boolean {
    if (!this.valueOpensLine || !this.text.hasOpen || this.carry.length > 0 || this.lineOffset < this.base)
      return false;
    return this.bytes[this.valueStart + 1] !== 34;
  }

  /** Something that is no value stands behind one on the same line. */
  private damage(at: number): number {
    this.problems.add('not-json', this.line, this.base + at, 'text behind a JSON value');
    this.mode = 'seek';
    return at + 1;
  }

  /** The position in `bytes` of a stream offset that may lie in what was carried; `at` where it is gone. */
  private goBack(offset: number, at: number): number {
    if (offset >= this.base) {
      this.carry.clear();
      return offset - this.base;
    }
    if (this.carry.length === 0) return at;
    const skipped = offset - this.carry.offset;
    const whole = this.carry.take(this.bytes);
    this.use(whole.subarray(skipped), offset);
    return 0;
  }

  /** Looks for the next record on a damaged line. */
  private seek(start: number): number {
    this.midLine = true;
    const next = findRecord(this.bytes, start, this.container !== 'none');
    if (next.found === 'record') return this.beginValue(next.at);
    if (next.found === 'nothing') return this.carryFrom(Math.max(start, next.at - OVERLAP));
    this.mode = 'line';
    return next.at;
  }

  private skip(start: number): number {
    const lineEnd = this.bytes.indexOf(10, start);
    if (lineEnd < 0) return this.bytes.length;
    this.mode = 'line';
    return this.endLine(lineEnd);
  }

  /** A line has no end yet: JSON is read as far as it goes, text waits until it is too long. */
  private readLongLine(end: number): void {
    if (this.carry.length <= LONG_LINE) return;
    if (!this.carry.isText) {
      this.run(this.carry.take(Buffer.alloc(0)), end, true);
    } else if (this.carry.length > this.maxBytes) {
      this.problems.add('line-too-long', this.line, this.carry.offset, 'a line above the size limit');
      this.carry.clear();
      this.mode = 'skip';
    }
  }

  private carryFrom(start: number): number {
    this.carry.add(this.bytes.subarray(start), this.base + start);
    return this.bytes.length;
  }
}

/** `{"kind":"EventList"`, which the audit decoder need not see as a whole. */
function isListBody(bytes: Buffer, start: number): boolean {
  return bytes[start + 14] === 76 && bytes[start + 9] === 69 && bytes[start + 2] === 107;
}

function opensArray(next: number | undefined): boolean {
  return next === undefined || next === 123 || next === 93 || next === 10 || next === 13;
}
