/** The parts of an audit event that both decoders fill, and the event that is made of them. */
import type { AuditEvent, ByteRange, Level, Stage } from '../../model/record.js';
import { type Verdict, verdicts } from './decoder.js';
import { textOf } from './text.js';

/** `user` and, by its username alone, `impersonatedUser`. */
export interface UserPart {
  readonly username: string;
  readonly uid: string;
  readonly groups: string;
}

/** `objectRef`. */
export interface RefPart {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly subresource: string;
}

/** `responseStatus`. */
export interface StatusPart {
  readonly code: number;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** `annotations`. */
export interface NotesPart {
  readonly decision: string;
  readonly truncated: boolean;
}

export const NO_USER: UserPart = { username: '', uid: '', groups: '' };
export const NO_REF: RefPart = { resource: '', namespace: '', name: '', apiGroup: '', apiVersion: '', subresource: '' };
export const NO_STATUS: StatusPart = { code: 0, status: '', reason: '', message: '' };
export const NO_NOTES: NotesPart = { decision: '', truncated: false };

/** The annotations that are read. */
export const DECISION = 'authorization.k8s.io/decision';
export const TRUNCATED = 'audit.k8s.io/truncated';

/** An objectRef part; v1alpha1 wrote `group/version` into apiVersion and had no apiGroup. */
export function refPart(
  resource: string,
  namespace: string,
  name: string,
  apiGroup: string,
  apiVersion: string,
  subresource: string,
): RefPart {
  const slash = apiGroup === '' ? apiVersion.indexOf('/') : -1;
  if (slash < 0) return { resource, namespace, name, apiGroup, apiVersion, subresource };
  const group = apiVersion.slice(0, slash);
  return { resource, namespace, name, apiGroup: group, apiVersion: apiVersion.slice(slash + 1), subresource };
}

/** A status code as given, or 0 for what is no HTTP status. */
export function statusCode(value: number): number {
  return Number.isInteger(value) && value > 0 && value < 1000 ? value : 0;
}

export function levelOf(text: string): Level {
  return text === 'Metadata' || text === 'Request' || text === 'RequestResponse' ? text : 'None';
}

export function stageOf(text: string): Stage | '' {
  if (text === 'RequestReceived' || text === 'ResponseStarted') return text;
  return text === 'ResponseComplete' || text === 'Panic' ? text : '';
}

/**
 * What all stages of a request say of it: events that follow one another share it. A decoder fills it in; from then on it
 * is what it is, but for `note`.
 */
export class RequestPart {
  auditID = '';
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

  constructor(private readonly bytes: Buffer) {}

  get requestURI(): string {
    this.uri ??= textOf(this.bytes, this.uriStart, this.uriEnd);
    return this.uri;
  }

  get isSomething(): boolean {
    return this.auditID !== '' && (this.verb !== '' || this.uriEnd > this.uriStart || this.requestURI !== '');
  }

  copy(): RequestPart {
    const { auditID, verb, user, impersonated, sourceIPs, userAgent, ref, uriStart, uriEnd, uri } = this;
    const members = { auditID, verb, user, impersonated, sourceIPs, userAgent, ref, uriStart, uriEnd, uri };
    return Object.assign(new RequestPart(this.bytes), members);
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
