/** One request as one server logged it: what pairing needs of its up to three events, and nothing more. */
import type { AuditEvent, Stage } from '../../model/record.js';
import type { Life } from '../writer.js';

const STAGE_BIT: Readonly<Record<Stage, number>> = {
  RequestReceived: 1,
  ResponseStarted: 2,
  ResponseComplete: 4,
  Panic: 8,
};

export class Half {
  readonly auditID: string;
  readonly life: Life;
  readonly resource: number;
  readonly verb: string;
  readonly uri: string;
  readonly userAgent: string;
  readonly username: string;
  /** Known only after the request was authorized: absent from RequestReceived. */
  impersonated: string;
  readonly sourceIPs: string;
  /** Of an event that does not say so: when its stage was. */
  readonly receivedUs: number;
  /** As the event says; 0 when it does not. */
  readonly #toldUs: number;
  readonly namespace: string;
  readonly line: number;
  readonly offset: number;
  name: string;
  /** Stages seen, one bit each. */
  stages = 0;
  startedUs = 0;
  startedCode = 0;
  /** ResponseComplete or Panic; 0 while the request is open. */
  doneUs = 0;
  code = 0;
  /** The answer has no status, reason or message: relayed from elsewhere, or from a plain handler. */
  bare = false;
  /** Next request with the same Audit-ID. */
  next: Half | null = null;

  constructor(event: AuditEvent, life: Life, resource: number) {
    this.auditID = event.auditID;
    this.life = life;
    this.resource = resource;
    this.verb = event.verb;
    this.uri = event.requestURI;
    this.userAgent = event.userAgent;
    this.username = event.username;
    this.impersonated = event.impersonated;
    this.sourceIPs = event.sourceIPs;
    this.receivedUs = event.receivedUs || event.timeUs;
    this.#toldUs = event.receivedUs;
    this.namespace = event.namespace;
    this.line = event.line;
    this.offset = event.offset;
    this.name = event.name;
    this.take(event);
  }

  /** True when the event is another stage (or a repetition) of this very request in this very server's log. */
  owns(event: AuditEvent): boolean {
    return (
      this.#toldUs === event.receivedUs &&
      this.verb === event.verb &&
      this.sourceIPs === event.sourceIPs &&
      this.uri === event.requestURI
    );
  }

  /** Takes a stage in; false when that stage was there already with the same time: a duplicate record. */
  take(event: AuditEvent): boolean {
    const bit = STAGE_BIT[event.stage];
    if ((this.stages & bit) !== 0) return this.#differs(event);
    this.stages |= bit;
    if (event.stage === 'RequestReceived') return true;
    if (event.stage === 'ResponseStarted') {
      this.startedUs = event.timeUs;
      this.startedCode = event.code;
    } else {
      this.doneUs = event.timeUs;
      this.code = event.code;
      this.bare = event.status === '' && event.reason === '' && event.message === '';
    }
    if (this.name === '') this.name = event.name;
    if (this.impersonated === '') this.impersonated = event.impersonated;
    return true;
  }

  /** Final code: of the completion or panic, or of the lone ResponseStarted of a rejected identity; 0 while open. */
  get finalCode(): number {
    if (this.doneUs !== 0) return this.code;
    return this.startedCode === 401 ? 401 : 0;
  }

  /** False while only RequestReceived was seen: whom the client impersonates is not told there. */
  get userIsKnown(): boolean {
    return (this.stages & ~STAGE_BIT.RequestReceived) !== 0;
  }

  get effectiveUser(): string {
    return this.impersonated === '' ? this.username : this.impersonated;
  }

  #differs(event: AuditEvent): boolean {
    if (event.stage === 'RequestReceived') return false;
    return event.timeUs !== (event.stage === 'ResponseStarted' ? this.startedUs : this.doneUs);
  }
}
