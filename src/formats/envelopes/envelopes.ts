/**
 * Reads what stands in the envelopes of one input: log shippers' and container runtimes', one inside the other, whole
 * or in pieces. The records go through the same decoders as bare ones and have the place of the envelope in the input.
 */
import { isUtf8 } from 'node:buffer';
import type { InputRef } from '../../model/origin.js';
import type { AuditEvent } from '../../model/record.js';
import type { AuditDecoder } from '../audit/decoder.js';
import { isTooDeep, TOO_DEEP } from '../audit/too-deep.js';
import { isObject, type JsonObject } from '../documents/index.js';
import { isKlogJson, type ObjectReader } from '../json/json-values.js';
import type { Emit } from '../outbox.js';
import type { ProblemLog } from '../problem-log.js';
import { findRecord } from '../resync.js';
import { jsonBytes, parsedJson } from './json-text.js';
import { addedMembers, eventObject, isBare, mergedFrom } from './merged.js';
import { type Content, openObject } from './open-object.js';
import { peelLine } from './peel-line.js';
import { Pieces } from './pieces.js';
import { restored } from './restore.js';
import { type Facts, NO_FACTS, NOBODY, type Sender, senderOf } from './sender.js';
import { factsAt } from './shape.js';
import { Streams } from './streams.js';
import { endOfText, startOfText } from './text-range.js';

/** Envelopes inside one another. */
const MAX_DEPTH = 4;
/** Kinds of line prefixes that are remembered. */
const MAX_PREFIXES = 256;

export class Envelopes implements ObjectReader {
  private readonly streams: Streams;
  private readonly pieces: Pieces<Sender>;
  private readonly prefixes = new Set<string>();
  /** Around what is being read: the sender so far, and how many envelopes were opened. */
  private sender = NOBODY;
  private depth = 0;

  constructor(
    input: InputRef,
    private readonly audit: AuditDecoder,
    maxBytes: number,
    emit: Emit,
    private readonly problems: ProblemLog,
  ) {
    this.streams = new Streams(input, audit, emit, problems, this);
    this.pieces = new Pieces(maxBytes, problems);
  }

  /** Takes a text line if there are known prefixes in front of it. */
  takeLine(bytes: Buffer, start: number, end: number, line: number, offset: number): boolean {
    const peeled =
      this.depth < MAX_DEPTH
        ? peelLine(bytes, start, end, this.prefixes.size > 0 ? this.isKnown : undefined)
        : undefined;
    if (peeled === undefined) return false;
    if (!peeled.isSure && !this.isRecord(bytes, peeled.start, end)) return false;
    const sender = senderOf(peeled.facts, this.sender);
    this.remember(prefixKey(peeled.facts, peeled.shapes));
    const extent = peeled.isPiece ? 'piece' : 'whole';
    this.takeContent({ bytes: bytes.subarray(peeled.start, end), sender, extent }, line, offset);
    return true;
  }

  /** Takes a line that is a JSON text of a string, as a record that was encoded twice. */
  takeQuoted(bytes: Buffer, start: number, end: number, line: number, offset: number): boolean {
    if (this.depth >= MAX_DEPTH || bytes[start] !== 34 || bytes[start + 1] !== 123) return false;
    const text = parsedJson(bytes, start, end);
    if (typeof text !== 'string') return false;
    this.takeContent({ bytes: Buffer.from(text), sender: this.sender, extent: 'whole' }, line, offset);
    return true;
  }

  /** Takes an object that is no record if it is an envelope that is known. */
  takeObject(value: JsonObject, line: number, offset: number): boolean {
    const contents = this.depth < MAX_DEPTH ? openObject(value, this.sender) : undefined;
    for (const content of contents ?? []) {
      if (content !== undefined) this.takeContent(content, line, offset);
      else this.problems.add('unreadable', line, offset, 'an envelope without what it should hold');
    }
    return contents !== undefined;
  }

  /** Gives the event on as its API server wrote it, where a shipper added to it or changed it. */
  giveEvent(event: AuditEvent, emit: Emit): void {
    const added = isBare(event.bytes, event.start, event.end) ? undefined : addedMembers(event);
    if (added === undefined) {
      emit(event);
      return;
    }
    const sender = senderOf(factsAt(added, mergedFrom, NO_FACTS), this.sender);
    emit(restored(added) === undefined ? event : this.restore(event), sender);
  }

  /** Hands out the log lines that wait for continuation lines. */
  flush(): void {
    this.streams.flush();
  }

  /** The end of the input. */
  finish(): void {
    for (const { bytes, line, offset, of } of this.pieces.rest()) {
      if (bytes[0] !== 123) this.problems.add('cut-line', line, offset, 'pieces of a line whose end is missing');
      this.takeWhole(bytes, of, line, offset);
    }
    this.streams.finish();
  }

  private takeContent(content: Content, line: number, offset: number): void {
    const { bytes, sender, extent } = content;
    const key = `${this.depth}\n${sender.cluster}\n${sender.writer}\n${sender.stream}`;
    const hasBegun = this.pieces.has(key);
    const goesOn = extent === 'piece' || (extent === 'maybe-piece' && (hasBegun || !this.isEvent(bytes)));
    if (goesOn) this.pieces.add(key, bytes, line, offset, sender);
    else if (!hasBegun) this.takeWhole(bytes, sender, line, offset);
    else {
      const joined = this.pieces.end(key, bytes, line, offset, sender);
      if (joined !== undefined) this.takeWhole(joined.bytes, joined.of, joined.line, joined.offset);
    }
  }

  private takeWhole(bytes: Buffer, sender: Sender, line: number, offset: number): void {
    const around = this.sender;
    this.sender = sender;
    this.depth++;
    try {
      this.takeRecords(bytes, line, offset);
    } finally {
      this.sender = around;
      this.depth--;
    }
  }

  /** What a whole text of one sender holds: a JSON value, or lines. */
  private takeRecords(bytes: Buffer, line: number, offset: number): void {
    const end = endOfText(bytes);
    const start = startOfText(bytes, end);
    if (start >= end) return;
    if (bytes[start] === 91 && this.takeList(bytes, start, end, line, offset)) return;
    if (bytes[start] === 123 && this.takeValue(bytes, start, end, line, offset)) return;
    for (let at = 0; at < end; ) {
      const newline = bytes.indexOf(10, at);
      const lineEnd = newline < 0 || newline > end ? end : newline;
      this.takeInnerLine(bytes, at, bytes[lineEnd - 1] === 13 ? lineEnd - 1 : lineEnd, line, offset);
      at = lineEnd + 1;
    }
  }

  /** Whether the whole text is one JSON value. */
  private takeValue(bytes: Buffer, start: number, end: number, line: number, offset: number): boolean {
    const isLog = isKlogJson(bytes, start);
    const told = isLog ? 'not-audit' : this.audit.decode(bytes, start, end, line, offset);
    if (typeof told !== 'string') {
      this.streams.of(this.sender).values.acceptAudit(told, isUtf8(bytes));
      return true;
    }
    const isOneLine = bytes.indexOf(10, start) < 0 || bytes.indexOf(10, start) >= end;
    if (told !== 'not-audit' && !isOneLine) return false;
    if (told !== 'not-audit') this.takeDamaged(bytes, start, end, line, offset, told);
    else if (this.sender.foreign) this.refuse(line, offset);
    else this.streams.of(this.sender).values.take(bytes, start, end, line, offset, isUtf8(bytes), told);
    return true;
  }

  /** A record that was torn, perhaps with another one behind it. */
  private takeDamaged(
    bytes: Buffer,
    start: number,
    end: number,
    line: number,
    offset: number,
    told: 'not-json' | 'cut-line' | 'json-too-deep',
  ): void {
    if (told === 'json-too-deep') this.problems.add(told, line, offset, TOO_DEEP);
    else this.problems.add(told, line, offset, told === 'cut-line' ? 'JSON that ends too early' : 'damaged JSON');
    const next = findRecord(bytes.subarray(0, end), start + 1, false);
    if (next.found !== 'record') return;
    const event = this.audit.decode(bytes, next.at, end, line, offset);
    if (typeof event !== 'string') this.streams.of(this.sender).values.acceptAudit(event, isUtf8(bytes));
  }

  /** Items are one level deeper than the list, so that lists in lists come to an end. */
  private takeList(bytes: Buffer, start: number, end: number, line: number, offset: number): boolean {
    if (this.depth > MAX_DEPTH || this.audit.decode(bytes, start, end, line, offset) !== 'not-audit') return false;
    const list = parsedJson(bytes, start, end);
    if (!Array.isArray(list)) return false;
    for (const item of list) {
      const text = jsonBytes(item);
      if (text === undefined) this.problems.add('unreadable', line, offset, 'an item of a list');
      else this.takeWhole(text, this.sender, line, offset);
    }
    return true;
  }

  private takeInnerLine(bytes: Buffer, start: number, end: number, line: number, offset: number): void {
    const beginsObject = bytes[start] === 123 && bytes[start + 1] === 34;
    if (beginsObject && this.takeValue(bytes.subarray(0, end), start, end, line, offset)) return;
    if (this.takeQuoted(bytes, start, end, line, offset) || this.takeLine(bytes, start, end, line, offset)) return;
    const { text } = this.streams.of(this.sender);
    if (this.sender.foreign) this.refuse(line, offset);
    else if (!text.hasOpen && isTooDeep(this.audit, bytes, start, end))
      this.problems.add('json-too-deep', line, offset, TOO_DEEP);
    else text.take(bytes, start, end, line, offset);
  }

  private refuse(line: number, offset: number): void {
    this.problems.add('not-audit', line, offset, 'what another program than an API server wrote');
  }

  private restore(event: AuditEvent): AuditEvent {
    const bytes = jsonBytes(restored(eventObject(event)));
    if (bytes === undefined) return event;
    const told = this.audit.decode(bytes, 0, bytes.length, event.line, event.offset);
    return typeof told === 'string' ? event : told;
  }

  /** Whether the object is a record, or a particular envelope of one. */
  private isRecord(bytes: Buffer, start: number, end: number): boolean {
    if (bytes[start] !== 123) return false;
    if (isKlogJson(bytes, start) || typeof this.audit.decode(bytes, start, end, 0, 0) !== 'string') return true;
    const value = parsedJson(bytes, start, end);
    return isObject(value) && openObject(value, NOBODY) !== undefined;
  }

  private isEvent(bytes: Buffer): boolean {
    return bytes[0] === 123 && typeof this.audit.decode(bytes, 0, bytes.length, 0, 0) !== 'string';
  }

  private readonly isKnown = (facts: Facts, shapes: readonly string[]): boolean =>
    this.prefixes.has(prefixKey(facts, shapes));

  private remember(key: string): void {
    if (this.prefixes.size < MAX_PREFIXES) this.prefixes.add(key);
  }
}

/** Lines of one origin have the same key, whatever their times. */
function prefixKey({ pod, host, component, file }: Facts, shapes: readonly string[]): string {
  return [...shapes, pod, host, component, file].join('\n');
}
