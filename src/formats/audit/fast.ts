/**
 * The fast decoder: one forward pass over the bytes that reads the needed fields and checks, but does not keep, the rest.
 *
 * Its speed comes from repetition: an audit log names the same users, agents, objects and paths again and again, and a
 * value that was seen lately is found by comparing its bytes, eight at a time, with those it was read from (slots.ts).
 * Keys are recognized in their compact form by one or two comparisons; any other spelling of them takes the general way.
 */
import type { AuditEvent, ByteRange, Level, Stage } from '../../model/record.js';
import { auditEvent, RequestPart } from './decoded-event.js';
import type { AuditDecoder, Verdict } from './decoder.js';
import { levelOf, NO_NOTES, NO_STATUS, stageOf } from './event.js';
import { AUDIT_ID_KEY, field, fieldOf, isAuditID, isStage, keyAt, REQUEST_FIELDS, STAGE_KEY } from './keys.js';
import { headAt, headLengths, headLevels, stageAt, verbAt } from './literals.js';
import { PartReader } from './parts.js';
import { verdictOn } from './scan.js';
import { CLOSE_OBJECT, COMMA, OPEN_OBJECT, QUOTE, skipColon, skipSpace, skipValue } from './skip.js';
import { type SlicedBuffer, TextReader } from './text.js';
import { TimeReader } from './time-reader.js';
import { parseTimestamp } from './timestamp.js';
import { QUOTED_ID_BYTES, sameSpan, type Twin, Twins } from './twins.js';

/** Members that a request which is remembered already says. */
const SHARED_FIELDS = REQUEST_FIELDS | (1 << field.auditID);

/** A decoder with its own bounded memory of repeated values. See AuditDecoder for what it takes and gives. */
export function createFastDecoder(): AuditDecoder {
  return new FastDecoder();
}

class FastDecoder implements AuditDecoder {
  private readonly texts = new TextReader(2048, 232);
  private readonly twins = new Twins();
  private readonly parts = new PartReader(this.texts);
  private readonly received = new TimeReader(this.texts);
  private readonly staged = new TimeReader(this.texts);
  /** Counts the chunks that were opened. */
  private chunk = 0;
  private bytes: SlicedBuffer = Buffer.alloc(0) as SlicedBuffer;
  private view: DataView = new DataView(new ArrayBuffer(0));
  /** Behind the value that was read last; -1 when it was damaged. */
  private next = -1;

  decode(input: Buffer, start: number, end: number, line: number, offset: number): AuditEvent | Verdict {
    if (input !== this.bytes) this.open(input as SlicedBuffer);
    const bytes = this.bytes;
    const view = this.view;
    const texts = this.texts;
    const parts = this.parts;
    let at = skipSpace(bytes, start, end);
    if (at >= end || bytes[at] !== OPEN_OBJECT) return verdictOn(bytes, start, end);
    const first = at;
    let kind = '';
    let level: Level = 'None';
    let stage: Stage | '' = '';
    let uriHash = 0;
    let seed = 0;
    let status = NO_STATUS;
    let receivedUs = 0;
    let stageUs = 0;
    let timestampUs = 0;
    let createdUs = 0;
    let notes = NO_NOTES;
    let requestObject: ByteRange | undefined;
    let responseObject: ByteRange | undefined;
    let request: RequestPart | undefined;
    /** It is remembered for later events, so that it may not change. */
    let shared = false;
    /** Where it is remembered while its members come, and which members came. */
    let twin: Twin | undefined;
    let requestStart = 0;
    let seen = 0;
    let auditID = '';
    const head = headAt(view, at, end);
    if (head !== 0) {
      level = headLevels[head] as Level;
      at += headLengths[head] as number;
      // The usual order goes on with auditID and stage, and then the request, which an earlier stage may have said already.
      const id = isAuditID(view, at, end) ? this.twins.at(bytes, view, at + AUDIT_ID_KEY, end) : undefined;
      if (id !== undefined) {
        const stageKey = at + AUDIT_ID_KEY + QUOTED_ID_BYTES + 1;
        const usual = isStage(view, stageKey, end) ? stageAt(view, stageKey + STAGE_KEY, end) : '';
        const from = stageKey + STAGE_KEY + usual.length + 3;
        if (usual !== '' && bytes[stageKey - 1] === COMMA && bytes[from - 1] === COMMA) {
          auditID = id.auditID;
          stage = usual;
          at = from;
          const behind = from + id.length;
          if (
            id.chunk === this.chunk &&
            behind < end &&
            bytes[behind] === COMMA &&
            sameSpan(view, id.start, from, id.length)
          ) {
            request = id.request;
            shared = true;
            uriHash = id.uriHash;
            seed = id.seed;
            at = behind + 1;
          } else {
            twin = id;
            requestStart = from;
          }
        }
      }
      if (at < end && (bytes[at] as number) <= 0x20) at = skipSpace(bytes, at, end);
    } else at = skipSpace(bytes, at + 1, end);
    request ??= new RequestPart(bytes, auditID);
    for (;;) {
      if (at >= end || bytes[at] !== QUOTE) return verdictOn(bytes, start, end);
      const key = keyAt(view, at, end);
      let name = key & 0xff;
      const keyStart = at;
      if (key !== 0) {
        at += key >> 8;
        if (at < end && (bytes[at] as number) <= 0x20) at = skipSpace(bytes, at, end);
      } else {
        name = fieldOf(texts.read(bytes, view, at, end));
        if (texts.next < 0) return verdictOn(bytes, start, end);
        at = skipColon(bytes, texts.next, end);
        if (at < 0) return verdictOn(bytes, start, end);
      }
      if (twin !== undefined) {
        if (name === field.responseStatus || name === field.requestReceivedTimestamp) {
          if ((seen & ~REQUEST_FIELDS) === 0 && bytes[keyStart - 1] === COMMA) {
            twin.chunk = this.chunk;
            twin.start = requestStart;
            twin.length = keyStart - 1 - requestStart;
            twin.uriHash = uriHash;
            twin.seed = seed;
            twin.request = request;
            shared = true;
          }
          twin = undefined;
        } else seen |= 1 << name;
      } else if (shared && (SHARED_FIELDS >> name) & 1) {
        request = request.copy();
        shared = false;
      }
      switch (name) {
        case field.kind:
          kind = this.text(texts, at, end);
          at = this.next;
          break;
        case field.level:
          level = levelOf(this.text(texts, at, end));
          at = this.next;
          break;
        case field.auditID:
          request.auditID = this.text(texts, at, end);
          at = this.next;
          break;
        case field.stage:
          stage = stageAt(view, at, end);
          if (stage !== '') at += stage.length + 2;
          else {
            stage = stageOf(this.text(texts, at, end));
            at = this.next;
          }
          break;
        case field.requestURI:
          request.uri = undefined;
          request.uriStart = at + 1;
          request.uriEnd = this.passText(texts, at, end);
          at = this.next;
          uriHash = texts.hash;
          break;
        case field.verb:
          request.verb = verbAt(view, at, end);
          if (request.verb !== '') at += request.verb.length + 2;
          else {
            request.verb = this.text(texts, at, end);
            at = this.next;
          }
          break;
        case field.user:
          request.user = parts.user(bytes, view, at, end);
          seed = parts.userHash;
          at = parts.next;
          break;
        case field.impersonatedUser:
          request.impersonated = parts.user(bytes, view, at, end).username;
          at = parts.next;
          break;
        case field.sourceIPs:
          request.sourceIPs = parts.sourceIPs(bytes, view, at, end, seed);
          at = parts.next;
          break;
        case field.userAgent:
          request.userAgent = parts.userAgent(bytes, view, at, end, seed);
          at = parts.next;
          break;
        case field.objectRef:
          request.ref = parts.ref(bytes, view, at, end, uriHash);
          at = parts.next;
          break;
        case field.responseStatus:
          status = parts.status(bytes, view, at, end, uriHash);
          at = parts.next;
          break;
        case field.requestReceivedTimestamp:
          receivedUs = this.received.read(bytes, view, at, end);
          at = this.received.next;
          break;
        case field.stageTimestamp:
          stageUs = this.staged.read(bytes, view, at, end);
          at = this.staged.next;
          break;
        case field.timestamp:
          timestampUs = this.received.read(bytes, view, at, end);
          at = this.received.next;
          break;
        case field.metadata:
          createdUs = parseTimestamp(parts.creationTimestamp(bytes, view, at, end));
          at = parts.next;
          break;
        case field.annotations:
          notes = parts.annotations(bytes, view, at, end, seed);
          at = parts.next;
          break;
        case field.requestObject:
          requestObject = this.body(at, end);
          at = this.next;
          break;
        case field.responseObject:
          responseObject = this.body(at, end);
          at = this.next;
          break;
        default:
          at = skipValue(bytes, view, at, end, 1);
      }
      if (at < 0) return verdictOn(bytes, start, end);
      let byte = at < end ? (bytes[at] as number) : 0;
      if (byte <= 0x20) {
        at = skipSpace(bytes, at, end);
        byte = at < end ? (bytes[at] as number) : 0;
      }
      at++;
      if (byte === COMMA) {
        if (at < end && (bytes[at] as number) <= 0x20) at = skipSpace(bytes, at, end);
      } else if (byte === CLOSE_OBJECT) break;
      else return verdictOn(bytes, start, end);
    }
    if (at !== end && skipSpace(bytes, at, end) !== end) return verdictOn(bytes, start, end);
    return auditEvent(
      line,
      offset,
      bytes,
      first,
      at,
      kind,
      level,
      stage,
      request,
      status,
      receivedUs,
      stageUs,
      timestampUs,
      createdUs,
      notes,
      requestObject,
      responseObject,
    );
  }

  private open(bytes: SlicedBuffer): void {
    this.bytes = bytes;
    this.chunk = (this.chunk + 1) | 0;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** The string at `at`, '' for another value; sets `next`. */
  private text(texts: TextReader, at: number, end: number): string {
    if (at >= end || this.bytes[at] !== QUOTE) {
      this.next = skipValue(this.bytes, this.view, at, end, 1);
      return '';
    }
    const text = texts.read(this.bytes, this.view, at, end);
    this.next = texts.next;
    return text;
  }

  /** Behind the last character of the string at `at`, its first for another value; sets `next`. */
  private passText(texts: TextReader, at: number, end: number): number {
    if (at >= end || this.bytes[at] !== QUOTE) {
      this.next = skipValue(this.bytes, this.view, at, end, 1);
      return at + 1;
    }
    const close = texts.pass(this.bytes, this.view, at, end);
    this.next = texts.next;
    return close;
  }

  /** The range of the value at `at`, undefined for null; sets `next`. */
  private body(at: number, end: number): ByteRange | undefined {
    this.next = skipValue(this.bytes, this.view, at, end, 1);
    return this.next < 0 || this.bytes[at] === 0x6e ? undefined : { start: at, end: this.next };
  }
}
