/** The event that both decoders make of its parts. */
import type { AuditEvent, ByteRange, Level, Stage } from '../../model/record.js';
import { type Verdict, verdicts } from './decoder.js';
import { NO_REF, NO_USER, type NotesPart, type StatusPart } from './event.js';
import { textOf } from './text.js';

/**
 * What all stages of a request say of it: events that follow one another share it. A decoder fills it in; from then on it
 * is what it is, but for `note`.
 */
export class RequestPart {
  verb = '';
  user = NO_USER;
  impersonated = '';
  sourceIPs = '';
  userAgent = '';
  ref = NO_REF;
  /** Where the URI stands between its quotes: hardly any request is asked for its text. */
  uriStart = 0;
  uriEnd = 0;
  /** Its text, once it is known. */
  uri: string | undefined = undefined;
  /** Room for what a reader of many events wants to work out once for each request. */
  note: unknown = undefined;

  constructor(
    private readonly bytes: Buffer,
    public auditID: string,
  ) {}

  get requestURI(): string {
    this.uri ??= textOf(this.bytes, this.uriStart, this.uriEnd);
    return this.uri;
  }

  get isSomething(): boolean {
    return this.auditID !== '' && (this.verb !== '' || this.uriEnd > this.uriStart || this.requestURI !== '');
  }

  copy(): RequestPart {
    const { verb, user, impersonated, sourceIPs, userAgent, ref, uriStart, uriEnd, uri } = this;
    const members = { verb, user, impersonated, sourceIPs, userAgent, ref, uriStart, uriEnd, uri };
    return Object.assign(new RequestPart(this.bytes, this.auditID), members);
  }
}

/** An event as both decoders make it. */
export class DecodedEvent implements AuditEvent {
  constructor(
    readonly line: number,
    readonly offset: number,
    readonly bytes: Buffer,
    readonly start: number,
    readonly end: number,
    readonly level: Level,
    readonly stage: Stage,
    readonly request: RequestPart,
    private readonly answer: StatusPart,
    readonly receivedUs: number,
    readonly timeUs: number,
    private readonly notes: NotesPart,
    readonly requestObject: ByteRange | undefined,
    readonly responseObject: ByteRange | undefined,
  ) {}

  get type(): 'audit' {
    return 'audit';
  }
  get auditID(): string {
    return this.request.auditID;
  }
  get requestURI(): string {
    return this.request.requestURI;
  }
  get verb(): string {
    return this.request.verb;
  }

  get username(): string {
    return this.request.user.username;
  }
  get userUID(): string {
    return this.request.user.uid;
  }
  get groups(): string {
    return this.request.user.groups;
  }
  get impersonated(): string {
    return this.request.impersonated;
  }
  get sourceIPs(): string {
    return this.request.sourceIPs;
  }
  get userAgent(): string {
    return this.request.userAgent;
  }

  get resource(): string {
    return this.request.ref.resource;
  }
  get namespace(): string {
    return this.request.ref.namespace;
  }
  get name(): string {
    return this.request.ref.name;
  }
  get apiGroup(): string {
    return this.request.ref.apiGroup;
  }
  get apiVersion(): string {
    return this.request.ref.apiVersion;
  }
  get subresource(): string {
    return this.request.ref.subresource;
  }

  get code(): number {
    return this.answer.code;
  }
  get status(): string {
    return this.answer.status;
  }
  get reason(): string {
    return this.answer.reason;
  }
  get message(): string {
    return this.answer.message;
  }
  get decision(): string {
    return this.notes.decision;
  }
  get truncated(): boolean {
    return this.notes.truncated;
  }
}

/** Joins the parts, if they make an event. Times of 0 are absent ones. */
export function auditEvent(
  line: number,
  offset: number,
  bytes: Buffer,
  start: number,
  end: number,
  kind: string,
  level: Level,
  stage: Stage | '',
  request: RequestPart,
  answer: StatusPart,
  receivedUs: number,
  stageUs: number,
  timestampUs: number,
  createdUs: number,
  notes: NotesPart,
  requestObject: ByteRange | undefined,
  responseObject: ByteRange | undefined,
): AuditEvent | Verdict {
  if (stage === '' || !request.isSomething) return verdicts.notAudit;
  if (kind !== '' && kind !== 'Event') return verdicts.notAudit;
  const received = receivedUs !== 0 ? receivedUs : timestampUs !== 0 ? timestampUs : createdUs;
  return new DecodedEvent(
    line,
    offset,
    bytes,
    start,
    end,
    level,
    stage,
    request,
    answer,
    received,
    stageUs !== 0 ? stageUs : received,
    notes,
    requestObject,
    responseObject,
  );
}
