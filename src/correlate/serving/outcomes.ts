/** What each life answered for each resource: the raw material of "who serves what" and of wrong 404s. */
import type { AuditEvent } from '../../model/record.js';
import { SpreadEvidence } from '../evidence.js';
import { NameCounts } from '../sketch.js';
import { TimeHistogram } from '../time-histogram.js';
import type { Life } from '../writer.js';

/** The three shapes of a 404 that can be told from the event alone; a relayed one is `bare` too. */
export type NotFoundShape = 'bare' | 'unknown-type' | 'object';

const UNKNOWN_TYPE = 'the server could not find the requested resource';
const NO_ENDPOINT = 'Error getting ip and port info of the remote server';
/** Resources times lives that are kept; beyond it the answers are counted in `overflow`. */
const LIMIT = 40_000;

/** 404 or 503 answers of one life for one resource. */
export class Answers {
  readonly times = new TimeHistogram();
  readonly clients = new NameCounts(32);
  readonly codes = new NameCounts(8);
  readonly evidence = new SpreadEvidence();
  writes = 0;

  add(event: AuditEvent): void {
    const at = event.receivedUs || event.timeUs;
    this.times.add(at);
    this.clients.add(clientOf(event));
    this.codes.add(String(event.code));
    if (isWrite(event.verb)) this.writes += 1;
    this.evidence.addEvent(event, this.life.writer.input, at);
  }

  constructor(readonly life: Life) {}
}

export class Outcome {
  /** Answers that only a server with the resource gives (or relays): 2xx, and 404 that names the object. */
  served = 0;
  servedFrom = Number.POSITIVE_INFINITY;
  servedTo = Number.NEGATIVE_INFINITY;
  bare: Answers | undefined;
  unknownType: Answers | undefined;
  objectNotFound = 0;
  objectClients: NameCounts | undefined;
  /** 503 and 504 in the forms that a failed hop leaves. */
  failed: Answers | undefined;

  constructor(
    readonly life: Life,
    readonly resource: number,
  ) {}
}

export class Outcomes {
  readonly #byKey = new Map<number, Outcome>();
  overflow = 0;

  /** Takes a final answer (ResponseComplete or Panic, or the start of a watch) to a request for a resource. */
  take(event: AuditEvent, life: Life, resource: number): void {
    const outcome = this.#of(life, resource);
    if (outcome === undefined) return;
    const code = event.code;
    if (code < 400 && code !== 0) serve(outcome, event.timeUs);
    else if (code === 404) this.#notFound(outcome, event);
    else if ((code === 503 || code === 504) && isFailedHop(event)) {
      outcome.failed ??= new Answers(life);
      outcome.failed.add(event);
    }
  }

  /** Notes a watch that began: the resource is there, or a peer has it. */
  served(life: Life, resource: number, timeUs: number): void {
    const outcome = this.#of(life, resource);
    if (outcome !== undefined) serve(outcome, timeUs);
  }

  #of(life: Life, resource: number): Outcome | undefined {
    const key = life.id * 32_768 + resource;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    if (this.#byKey.size >= LIMIT) {
      this.overflow += 1;
      return undefined;
    }
    const outcome = new Outcome(life, resource);
    this.#byKey.set(key, outcome);
    return outcome;
  }

  all(): Iterable<Outcome> {
    return this.#byKey.values();
  }

  #notFound(outcome: Outcome, event: AuditEvent): void {
    const shape = notFoundShape(event);
    if (shape === 'object') {
      serve(outcome, event.timeUs);
      outcome.objectNotFound += 1;
      outcome.objectClients ??= new NameCounts(8);
      outcome.objectClients.add(clientOf(event));
    } else if (shape === 'bare') {
      outcome.bare ??= new Answers(outcome.life);
      outcome.bare.add(event);
    } else {
      outcome.unknownType ??= new Answers(outcome.life);
      outcome.unknownType.add(event);
    }
  }
}

/** A failed dial leaves a bare answer; a peer without an endpoint entry a Status that says so. */
export function isFailedHop(event: AuditEvent): boolean {
  return (event.reason === '' && event.message === '') || isEndpointMissing(event);
}

/** No peer that has the resource had an endpoint entry. */
export function isEndpointMissing(event: AuditEvent): boolean {
  return event.message.startsWith(NO_ENDPOINT);
}

function serve(outcome: Outcome, timeUs: number): void {
  outcome.served += 1;
  if (timeUs < outcome.servedFrom) outcome.servedFrom = timeUs;
  if (timeUs > outcome.servedTo) outcome.servedTo = timeUs;
}

/** `bare` has no reason, `unknown-type` names no object, `object` does. */
export function notFoundShape(event: AuditEvent): NotFoundShape {
  if (event.reason === '' && event.message === '') return 'bare';
  return event.message.startsWith(UNKNOWN_TYPE) ? 'unknown-type' : 'object';
}

/** How a client is named: its user agent up to the first blank, else its user. */
export function clientOf(event: { readonly userAgent: string; readonly username: string }): string {
  const agent = event.userAgent.split(' ', 1)[0] ?? '';
  const name = agent === '' ? event.username : agent;
  return name === '' ? '(unknown)' : name.slice(0, 120);
}

export function isWrite(verb: string): boolean {
  return verb === 'create' || verb === 'update' || verb === 'patch' || verb === 'delete' || verb === 'deletecollection';
}
