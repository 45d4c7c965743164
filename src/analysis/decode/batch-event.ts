/**
 * An audit event of a batch that another thread decoded: a place in the columns, until the next batch is asked for.
 * Almost all events are asked for their time, their request and their code, and never again; for the rest the event's
 * bytes are decoded once more.
 */
import type { Reread } from '../../correlate/requests/recent-events.js';
import type { AuditEvent, ByteRange, Level, Stage } from '../../model/record.js';
import { codeIn, type EventColumns, levelIn, stageIn, truncatedIn } from './event-columns.js';
import type { Client, Target } from './facets.js';
import type { Memory } from './memories.js';

export class BatchEvent implements AuditEvent {
  private whole: AuditEvent | undefined = undefined;
  /** How often the memory had been used: once it is used again, the event's bytes are others. */
  private readonly use: number;
  private readonly client: Client;
  private readonly target: Target;

  constructor(
    private readonly columns: EventColumns,
    private readonly names: readonly string[],
    private readonly at: number,
    readonly bytes: Buffer,
    client: Client | undefined,
    target: Target | undefined,
    private readonly reread: Reread,
    private readonly memory: Memory,
  ) {
    this.use = memory.uses;
    this.client = client ?? this.all();
    this.target = target ?? this.all();
  }

  get type(): 'audit' {
    return 'audit';
  }
  get line(): number {
    return this.columns.line[this.at] ?? stale();
  }
  get offset(): number {
    return this.columns.offset[this.at] ?? stale();
  }
  get start(): number {
    return this.columns.start[this.at] ?? stale();
  }
  get end(): number {
    return this.columns.end[this.at] ?? stale();
  }
  get timeUs(): number {
    return this.columns.timeUs[this.at] ?? stale();
  }
  get receivedUs(): number {
    return this.columns.receivedUs[this.at] ?? stale();
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
    return this.columns.idHash[this.at] ?? stale();
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
    return this.all().requestURI;
  }
  get name(): string {
    return this.names[this.columns.name[this.at] as number] ?? this.all().name;
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
    return this.columns.bits[this.at] ?? stale();
  }

  private all(): AuditEvent {
    this.whole ??= this.readAll();
    return this.whole;
  }

  private readAll(): AuditEvent {
    this.checkUse();
    const event = this.reread(this.bytes, this.start, this.end, this.line, this.offset);
    if (event === undefined) throw new Error(`the event at byte ${this.offset} was decoded once, but not again`);
    return event;
  }

  private checkUse(): void {
    if (this.memory.uses !== this.use) stale();
  }
}

/** Its columns and its bytes belong to other events by now. */
function stale(): never {
  throw new Error('an event was kept for longer than its batch; keep fields, not events');
}
