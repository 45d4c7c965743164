/**
 * An audit event of a batch that another thread decoded: a place in the columns, until the next batch is asked for.
 * Almost all events are asked for their time, their request and their code, and never again; for the rest the event's
 * bytes are decoded once more.
 */
import type { AuditEvent, ByteRange, Level, Stage } from '../../model/record.js';
import type { BatchRecords } from './batch-records.js';
import { codeIn, levelIn, stageIn, truncatedIn } from './event-columns.js';
import type { Client, Target } from './facets.js';

export class BatchEvent implements AuditEvent {
  private whole: AuditEvent | undefined = undefined;
  private readonly client: Client;
  private readonly target: Target;

  constructor(
    private readonly batch: BatchRecords,
    private readonly at: number,
  ) {
    this.client = batch.clientOf(at) ?? this.all();
    this.target = batch.targetOf(at) ?? this.all();
  }

  get type(): 'audit' {
    return 'audit';
  }
  get bytes(): Buffer {
    return this.batch.bytesOf(this.at);
  }
  get line(): number {
    return this.batch.columns.line[this.at] ?? stale();
  }
  get offset(): number {
    return this.batch.columns.offset[this.at] ?? stale();
  }
  get start(): number {
    return this.batch.columns.start[this.at] ?? stale();
  }
  get end(): number {
    return this.batch.columns.end[this.at] ?? stale();
  }
  get timeUs(): number {
    return this.batch.columns.timeUs[this.at] ?? stale();
  }
  get receivedUs(): number {
    return this.batch.columns.receivedUs[this.at] ?? stale();
  }
  get level(): Level {
    return levelIn(this.bits);
  }
  get stage(): Stage {
    return stageIn(this.bits);
  }
  get code(): number {
    return codeIn(this.bits);
  }
  get truncated(): boolean {
    return truncatedIn(this.bits);
  }
  /** See KeyedEvent. */
  get auditIDHash(): number {
    return this.batch.columns.idHash[this.at] ?? stale();
  }
  get auditID(): string {
    return this.all().auditID;
  }

  get username(): string {
    return this.client.username;
  }
  get userUID(): string {
    return this.client.userUID;
  }
  get groups(): string {
    return this.client.groups;
  }
  get impersonated(): string {
    return this.client.impersonated;
  }
  get sourceIPs(): string {
    return this.client.sourceIPs;
  }
  get userAgent(): string {
    return this.client.userAgent;
  }

  get verb(): string {
    return this.target.verb;
  }
  get resource(): string {
    return this.target.resource;
  }
  get namespace(): string {
    return this.target.namespace;
  }
  get apiGroup(): string {
    return this.target.apiGroup;
  }
  get apiVersion(): string {
    return this.target.apiVersion;
  }
  get subresource(): string {
    return this.target.subresource;
  }

  get requestURI(): string {
    const event = this.all();
    // It is read from the bytes only now.
    this.batch.checkUse();
    return event.requestURI;
  }
  get name(): string {
    return this.batch.names[this.batch.columns.name[this.at] as number] ?? this.all().name;
  }
  get status(): string {
    return this.all().status;
  }
  get reason(): string {
    return this.all().reason;
  }
  get message(): string {
    return this.all().message;
  }
  get decision(): string {
    return this.all().decision;
  }
  get requestObject(): ByteRange | undefined {
    return this.all().requestObject;
  }
  get responseObject(): ByteRange | undefined {
    return this.all().responseObject;
  }

  private get bits(): number {
    return this.batch.columns.bits[this.at] ?? stale();
  }

  private all(): AuditEvent {
    this.whole ??= this.batch.readEvent(this.at);
    return this.whole;
  }
}

/** The columns and bytes of an event belong to other events by now. */
export function stale(): never {
  throw new Error('an event was kept for longer than its batch; keep fields, not events');
}
