/**
 * Takes the records of one cluster's inputs, in any order that keeps each input's own, and keeps bounded totals of what
 * the apiservers did to each other. `snapshot()` turns the totals into observations; it may be asked at any time.
 */
import type { Snapshot } from '../model/analysis.js';
import type { InputRef } from '../model/origin.js';
import type { ProxiedRequest } from '../model/proxied-request.js';
import type { AuditEvent, Flag, LogLine, ProblemReason, Rec } from '../model/record.js';
import { MINUTE, SECOND } from '../model/time.js';
import { APIServiceLog } from './apiservices.js';
import { AuditIDReuse } from './audit-id-reuse.js';
import { DocumentBook } from './documents.js';
import type { Duplicates } from './duplicates.js';
import { Founders } from './founders.js';
import { CollectorLog } from './harm/collector.js';
import { type Controller, Controllers } from './harm/controllers.js';
import { NamespaceLog } from './harm/namespaces.js';
import { LeaseBook } from './identity/lease-book.js';
import { readLoopback } from './identity/loopback.js';
import { NodeNames } from './identity/node-names.js';
import { LegacyDiscoveryLog } from './legacy-discovery.js';
import { LogFactBook, processOf } from './log-facts.js';
import { CallLog } from './peers/call-log.js';
import { FailedAnswers } from './peers/failed-answers.js';
import { FetchLog } from './peers/fetches.js';
import { RejectedCertificates } from './peers/rejected-certificates.js';
import { Rates } from './rates.js';
import { RecentLines } from './recent-lines.js';
import type { Half } from './requests/half.js';
import { PairTotals } from './requests/pair-totals.js';
import { pairUp } from './requests/pairing.js';
import type { Keeper, Reread } from './requests/recent-events.js';
import { Rejections } from './requests/rejections.js';
import { RequestTable } from './requests/request-table.js';
import { ToldRequests } from './requests/told-requests.js';
import { ResourceTable } from './resource-table.js';
import { Outcomes } from './serving/outcomes.js';
import { PassedOn } from './serving/passed-on.js';
import { Senders } from './serving/senders.js';
import { buildSnapshot } from './snapshot/build.js';
import { openContext } from './snapshot/context.js';
import { toldRequests } from './snapshot/requests.js';
import { type Life, type Writer, Writers } from './writer.js';

/**
 * Time that jumps back further than this inside one input means that another file was appended to it (`cat cp1 cp2`).
 * One server's own records are in order but for milliseconds; a clock set back makes two parts that its boot ID joins.
 */
const REWIND = 10 * SECOND;
/** A server renews its lease every 10 s: a longer silence of an audit log is worth a word. */
const SILENCE = 1.5 * MINUTE;
const SILENCES = 200;
/** As whom a kube-apiserver reads the discovery of aggregated API servers; no kube-apiserver sees it come in. */
const AGGREGATOR = 'system:kube-aggregator';

/** What the correlators of all clusters share. */
export interface Shared {
  readonly duplicates: Duplicates;
  /** Names of all clusters so far. */
  readonly named: Set<string>;
}

/** Everything that correlation has learnt; snapshot builders read it and change nothing. */
export class State {
  readonly writers = new Writers();
  readonly resources = new ResourceTable();
  readonly leases = new LeaseBook();
  readonly nodes = new NodeNames();
  readonly outcomes = new Outcomes();
  readonly passedOn = new PassedOn();
  readonly senders = new Senders();
  readonly rates = new Map<Life, Rates>();
  readonly pairs = new PairTotals();
  readonly reuse = new AuditIDReuse();
  readonly fetches = new FetchLog();
  readonly calls = new CallLog();
  readonly failedAnswers = new FailedAnswers();
  readonly rejectedCertificates = new RejectedCertificates();
  readonly logFacts = new LogFactBook();
  readonly collector = new CollectorLog();
  readonly namespaces = new NamespaceLog(this.resources);
  readonly apiservices = new APIServiceLog();
  readonly founders = new Founders();
  readonly legacyDiscovery = new LegacyDiscoveryLog();
  readonly documents = new DocumentBook();
  readonly problems = new Map<InputRef, ReadonlyMap<ProblemReason, number>>();
  readonly duplicates: Duplicates;
  /** Names of all clusters, this one's and others'. */
  readonly named: ReadonlySet<string>;
  readonly requests: RequestTable;
  readonly told: ToldRequests;

  constructor({ duplicates, named }: Shared, reread: Reread, tell: boolean, keeper: Keeper | undefined) {
    this.duplicates = duplicates;
    this.named = named;
    this.told = new ToldRequests(tell);
    this.requests = new RequestTable({
      settled: (first) => this.settle(first),
      alone: (half) => this.told.failure(half),
      reread,
      keeper,
      lifeOf: (id) => this.writers.lives[id],
    });
  }

  settle(first: Half): void {
    const pairing = pairUp(first);
    const ambiguous = pairing.pairs.length + pairing.single.length > 1;
    for (const pair of pairing.pairs) {
      this.pairs.add(pair, this.failedAnswers);
      this.told.pair(pair, ambiguous);
    }
    for (const half of pairing.single) this.told.failure(half);
    this.reuse.take(pairing);
  }
}

export class ClusterCorrelator {
  readonly #state: State;
  readonly #controllers = new Controllers();
  readonly #lines = new RecentLines();
  readonly #rejections = new Rejections();

  /** The other arguments are those of Correlator. */
  constructor(shared: Shared, reread: Reread, tell: boolean, keeper: Keeper | undefined) {
    this.#state = new State(shared, reread, tell, keeper);
  }

  take(record: Rec, input: InputRef): void {
    switch (record.type) {
      case 'audit':
        this.#audit(record, input);
        break;
      case 'log':
        this.#log(record, input);
        break;
      case 'flag':
        this.#flag(record, input);
        break;
      case 'lease':
        this.#state.writers.of(input);
        this.#state.leases.fromList(record, input);
        break;
      case 'discovery':
        this.#state.documents.take(record, this.#state.writers.of(input));
        break;
      case 'metric':
        this.#state.writers.of(input);
        break;
    }
  }

  /** Tells the damage that the formats stage counted in an input. */
  noteProblems(input: InputRef, problems: ReadonlyMap<ProblemReason, number>): void {
    this.#state.problems.set(input, problems);
  }

  /** The end of the records: calls and errors that still wait for a word are decided. */
  end(): void {
    this.#state.calls.settle();
    this.#state.requests.end();
  }

  /** How many single requests wait to be told. */
  get waitingRequests(): number {
    return this.#state.told.waiting;
  }

  /** Single proxied requests that are complete and were not given before. */
  requests(): ProxiedRequest[] {
    return toldRequests(openContext(this.#state));
  }

  snapshot(): Snapshot {
    return buildSnapshot(this.#state);
  }

  #audit(event: AuditEvent, input: InputRef): void {
    const state = this.#state;
    let writer = state.writers.of(input);
    const latest = writer.lastAt === 0 ? writer.loggedAt : writer.lastAt;
    if (event.timeUs < latest - REWIND) writer = state.writers.begin(input);
    else if (event.timeUs > writer.lastAt + SILENCE) noteSilence(writer, event.timeUs);
    if (event.timeUs > writer.lastAt) writer.lastAt = event.timeUs;
    writer.audit += 1;

    let life = writer.current;
    const apiserver = writer.own.isSender(event);
    if (apiserver) life = readLoopback(event, writer, state.writers, state.leases);
    if (event.resource === 'nodes' && event.name !== '') state.nodes.take(event.name);
    if (event.timeUs < life.from) life.from = event.timeUs;
    if (event.timeUs > life.to) life.to = event.timeUs;

    state.senders.take(event);
    const resource = state.resources.id(event.resource, event.apiGroup, event.apiVersion);
    if (resource === 0 && event.stage !== 'RequestReceived') {
      writer.nonResource += 1;
      if (event.requestURI.startsWith('/api') && isKnown(event.username)) writer.apiRequests += 1;
    }
    const controller = this.#controllers.of(event.userAgent, event.username);
    const keep = controller === 'garbage-collector' && event.code === 404;
    const taken = state.requests.take(event, life, resource, keep);
    if (taken === 'duplicate') state.duplicates.event(input);
    else if (event.stage !== 'RequestReceived') this.#answer(event, life, resource, apiserver, controller);
  }

  /** An answer: a completion, a panic, or the start of a watch (which is its answer to the client). */
  #answer(event: AuditEvent, life: Life, resource: number, apiserver: boolean, controller: Controller): void {
    const state = this.#state;
    if (resource === 0) {
      if (!apiserver) {
        if (event.username === AGGREGATOR) life.writer.aggregated = true;
        else state.fetches.take(event, life);
        if (event.code === 404 && event.stage === 'ResponseComplete') state.legacyDiscovery.take(event, life);
      }
      return;
    }
    const rejected = event.stage === 'ResponseStarted' && event.code >= 400;
    if (event.stage === 'ResponseStarted' && !rejected) {
      if (event.code < 400) state.outcomes.served(life, resource, event.timeUs);
      return;
    }
    if (event.code >= 400 && this.#rejections.isRepeated(event)) return;
    ratesOf(state, life).add(event.timeUs, event.code);
    if (event.verb !== 'watch' || event.code >= 400) state.outcomes.take(event, life, resource);
    state.failedAnswers.take(event, life, resource);
    if (apiserver) state.founders.take(event, life);
    if (apiserver && event.resource === 'apiservices' && event.code < 300 && event.code !== 0) {
      if (event.verb === 'create' || event.verb === 'delete') state.apiservices.take(event, life);
    }
    if (controller === 'garbage-collector')
      state.collector.take(event, life, resource, state.requests.head(event.auditID));
    if (event.code < 300 && event.code !== 0) state.namespaces.take(event, life, resource, controller);
  }

  /**
   * The writer of a line of a process log, which may follow another log in the same input. Audit times say something
   * only of its first line: where both go on side by side, klog may keep local time and has no year.
   */
  #logWriter({ timeUs }: { readonly timeUs: number }, input: InputRef): Writer {
    let writer = this.#state.writers.of(input);
    const latest = writer.loggedAt === 0 ? writer.lastAt : writer.loggedAt;
    if (latest !== 0 && timeUs !== 0 && timeUs < latest - REWIND) writer = this.#state.writers.begin(input);
    if (timeUs > writer.loggedAt) writer.loggedAt = timeUs;
    return writer;
  }

  #flag(flag: Flag, input: InputRef): void {
    const { logFacts, writers } = this.#state;
    const life = logFacts.lifeOf(flag, this.#logWriter(flag, input), writers);
    if (flag.timeUs !== 0) life.from = Math.min(life.from, flag.timeUs);
    if (flag.timeUs !== 0) life.to = Math.max(life.to, flag.timeUs);
    logFacts.flag(flag, life);
  }

  #log(line: LogLine, input: InputRef): void {
    const state = this.#state;
    const writer = this.#logWriter(line, input);
    writer.logs += 1;
    if (line.severity === 'I') writer.infos += 1;
    const process = processOf(line);
    if (process !== '') state.writers.goesOn(writer, process);
    const life = state.logFacts.lifeOf(line, writer, state.writers);
    if (line.timeUs < life.from) life.from = line.timeUs;
    if (line.timeUs > life.to) life.to = line.timeUs;
    state.logFacts.take(line, life);
    const ofPeers = line.file.startsWith('peer') || line.message.includes('Dropping lease');
    const rejection = ofPeers ? undefined : state.rejectedCertificates.read(line);
    if (!ofPeers && rejection === undefined) return;
    if (this.#lines.seen(line, input)) state.duplicates.line(input);
    else if (rejection === undefined) {
      state.calls.take(line, life);
      state.passedOn.take(line, life);
    } else state.rejectedCertificates.take(line, rejection, life);
  }
}

/** Policies tell requests of nobody from others. */
function isKnown(username: string): boolean {
  return username !== '' && username !== 'system:anonymous';
}

function noteSilence(writer: Writer, until: number): void {
  if (writer.lastAt > 0 && writer.silences.length < SILENCES) {
    writer.silences.push({ from: writer.lastAt, to: until });
  }
}

function ratesOf(state: State, life: Life): Rates {
  let rates = state.rates.get(life);
  if (rates === undefined) {
    rates = new Rates();
    state.rates.set(life, rates);
  }
  return rates;
}
