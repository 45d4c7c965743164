/** The four kinds of 404: wrong (a live peer serves it), of an object, of a type nobody serves, and undecided. */
import type { NotFoundSummary } from '../../model/analysis.js';
import type { Observation } from '../../model/observations/index.js';
import { groupVersionOf } from '../../model/resource.js';
import { SECOND } from '../../model/time.js';
import { EvidenceSet } from '../evidence.js';
import type { Answers } from '../serving/outcomes.js';
import { isBuiltIn, servedByDefault } from '../serving/version-table.js';
import { NameCounts } from '../sketch.js';
import { TimeHistogram } from '../time-histogram.js';
import { type Context, facts } from './context.js';
import type { ProxiedPair } from './pairs-view.js';
import { mayRunUnseen } from './presence.js';
import { recordsFetches } from './recording.js';
import { Relayed, type RelayedNotFound } from './relayed.js';
import { type Boot, isStart, isUp, type ServerView } from './server-view.js';
import type { Basis, BootOutcome } from './serving.js';
import { clustersWithStrangers, peersAreTold } from './strangers.js';

/** Peers learn each other's resources some seconds after a start; until then a 404 is a server that does not know yet. */
export const GRACE = 10 * SECOND;
/** An edge that came up within this time after both ran was only starting. */
const SETTLING = 60 * SECOND;

export class NotFoundTotal {
  readonly wrong = new TimeHistogram();
  /** First and last wrong answer. */
  from = Number.POSITIVE_INFINITY;
  to = Number.NEGATIVE_INFINITY;
  undecided = 0;
  unknownType = 0;
  object = 0;
  readonly clients = new NameCounts(32);
  readonly objectClients = new NameCounts(32);
  readonly evidence = new EvidenceSet();
  readonly servedBy = new Set<string>();
  readonly bases = new Set<Basis>();
  /** Some wrong answers cannot have been those of a server of which nothing would tell. */
  sure = false;

  constructor(
    readonly server: ServerView,
    readonly resource: string,
  ) {}
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** One that serves a resource, and how that is known. */
interface Server {
  readonly server: ServerView;
  readonly basis: Basis;
}

export class NotFoundView {
  readonly totals: NotFoundTotal[];
  readonly #context: Context;
  readonly #relayed: Relayed;
  readonly #strangers: ReadonlySet<string>;
  readonly #peersTold: boolean;

  constructor(context: Context) {
    this.#context = context;
    this.#relayed = new Relayed(context.state, context.serving, context.pairs);
    this.#strangers = clustersWithStrangers(context.state, context.servers, context.addresses);
    this.#peersTold = peersAreTold(context.state);
    const byKey = new Map<string, NotFoundTotal>();
    for (const entry of context.serving.outcomes()) {
      const key = `${entry.boot.server.cluster} ${entry.boot.server.name} ${entry.resource}`;
      const total = byKey.get(key) ?? new NotFoundTotal(entry.boot.server, entry.resource);
      if (this.#add(entry, total)) byKey.set(key, total);
    }
    this.totals = [...byKey.keys()].sort().flatMap((key) => byKey.get(key) ?? []);
  }

  /** The servers that serve the resource at that time while this boot says 404; empty when the 404 is right or cannot be judged. */
  wrongAt(boot: Boot, resource: string, timeUs: number, relayable: boolean): Server[] {
    if (relayable && this.#relayed.unexplained(boot, resource, timeUs, timeUs) > 0) return [];
    return this.#wrongIn(boot, resource, { from: timeUs, to: timeUs }, relayable);
  }

  /** Those that serve it at both ends of the time, in which the answers of the boot were its own or cannot be told from others. */
  #wrongIn(boot: Boot, resource: string, { from, to }: Span, relayable: boolean): Server[] {
    const last = from === to ? undefined : this.#servingAt(boot, resource, to).map(({ server }) => server);
    const serving = this.#servingAt(boot, resource, from).filter(({ server }) => last?.includes(server) !== false);
    if (serving.length === 0 || !relayable || this.#relayed.isLogged(boot, from)) return serving;
    // A bare 404 may come from a peer whose log is not here; where all logs are, its partner would have been found.
    return this.#isBlind(boot, { from, to }) && this.#context.proxies.of(boot).state !== 'inactive' ? [] : serving;
  }

  #servingAt(boot: Boot, resource: string, timeUs: number): Server[] {
    const { serving } = this.#context;
    if (!isBuiltIn(resource) || !isUp(boot, timeUs, GRACE) || serving.of(boot, resource).serves === true) return [];
    return this.#peers(boot).flatMap((server) =>
      server.boots.flatMap((other) => {
        if (!isUp(other, timeUs, GRACE) || this.#stillLearning(boot, other, timeUs)) return [];
        const { serves, basis } = serving.of(other, resource);
        // Without boot ID and version no start is seen: a first answer may be that of a server just upgraded.
        if (!isMarked(other) && !serving.answeredAround(other, resource, timeUs - GRACE)) return [];
        return serves === true ? [{ server, basis }] : [];
      }),
    );
  }

  #peers({ server }: Boot): ServerView[] {
    return this.#context.servers.all.filter((other) => other !== server && other.cluster === server.cluster);
  }

  /** Whether a peer may have given an answer of that time of which no record is here. */
  #isBlind(boot: Boot, { from, to }: Span): boolean {
    if (this.#context.servers.partial || this.#strangers.has(boot.server.cluster)) return true;
    return this.#peers(boot).some((server) => !server.hasAudit || mayRunUnseen(server, from, to));
  }

  #add({ boot, resource, outcomes }: BootOutcome, total: NotFoundTotal): boolean {
    const before = total.wrong.total + total.undecided + total.unknownType + total.object;
    const relayed = this.#relayed.notFound(boot, resource);
    total.object += relayed.times.total;
    for (const outcome of outcomes) {
      total.object += outcome.objectNotFound;
      if (outcome.objectClients !== undefined) total.objectClients.merge(outcome.objectClients);
    }
    this.#decide(
      outcomes.flatMap((outcome) => outcome.bare ?? []),
      boot,
      total,
      relayed,
    );
    this.#decide(
      outcomes.flatMap((outcome) => outcome.unknownType ?? []),
      boot,
      total,
      undefined,
    );
    return total.wrong.total + total.undecided + total.unknownType + total.object > before;
  }

  /** Sorts answers of one shape into wrong and others; those of `relayed`, where the shape can be relayed, were a destination's. */
  #decide(list: readonly Answers[], boot: Boot, total: NotFoundTotal, relayed: RelayedNotFound | undefined): void {
    if (list.length === 0) return;
    const all = new TimeHistogram();
    for (const answers of list) all.merge(answers.times);
    const own = relayed === undefined ? all : all.less(relayed.times);
    const relayable = relayed !== undefined;
    const wrongAt = new Set<number>();
    let wrong = 0;
    for (const [timeUs, answers] of own.entries()) {
      const span = { from: Math.max(timeUs, own.first), to: Math.min(timeUs + own.width - 1, own.last) };
      const passedBack = relayable ? this.#relayed.unexplained(boot, total.resource, span.from, span.to) : 0;
      const count = Math.max(0, answers - passedBack);
      total.object += answers - count;
      if (count === 0) continue;
      const serving = this.#wrongIn(boot, total.resource, span, relayable);
      if (serving.length === 0) {
        if (this.#mayBeWrong(boot, total.resource, span)) total.undecided += count;
        else total.unknownType += count;
        continue;
      }
      wrong += count;
      wrongAt.add(timeUs);
      total.sure ||= !relayable || this.#peersTold || this.#relayed.isLogged(boot, span.from);
      total.wrong.add(timeUs, count);
      for (const { server, basis } of serving) {
        total.servedBy.add(server.name);
        total.bases.add(basis);
      }
    }
    for (const answers of list) (wrong > 0 ? total.clients : total.objectClients).merge(answers.clients);
    if (wrong === 0) return;
    const proves = (timeUs: number) =>
      wrongAt.has(Math.floor(timeUs / own.width) * own.width) && relayed?.at.has(timeUs) !== true;
    for (const answers of list) total.evidence.merge(answers.evidence.where(proves));
    // Where all of them are wrong their exact times are known.
    total.from = Math.min(total.from, wrong === all.total ? all.first : total.wrong.first);
    total.to = Math.max(total.to, wrong === all.total ? all.last : total.wrong.last);
  }

  /** Whether a peer served it then, or one may have of which nothing tells what it did; not where this boot has it itself. */
  #mayBeWrong(boot: Boot, resource: string, span: Span): boolean {
    const { servers, serving } = this.#context;
    if (isBuiltIn(resource) && this.#hasItself(boot, resource, span)) return false;
    const isServed = (by: Boot) => serving.of(by, resource).serves === true;
    const peers = this.#peers(boot);
    if (
      peers.flatMap(({ boots }) => boots).some((peer) => isServed(peer) && peer.from <= span.to && peer.to >= span.from)
    )
      return true;
    const unseen = servers.partial || this.#strangers.has(boot.server.cluster);
    if (!unseen && !peers.some((server) => mayRunUnseen(server, span.from, span.to))) return false;
    return servers.all.some(({ boots }) => boots.some(isServed));
  }

  /** What it answered may be a peer's answer whose log is not here; the core group cannot be turned off. */
  #hasItself(boot: Boot, resource: string, span: Span): boolean {
    const { serves, basis } = this.#context.serving.of(boot, resource);
    if (serves !== true) return false;
    if (groupVersionOf(resource) === 'v1')
      return basis === 'requests' || servedByDefault(resource, boot.version) === true;
    return basis === 'requests' ? !this.#isBlind(boot, span) : basis !== 'version-table';
  }

  /**
   * True while the source had not yet fetched what the peer serves, and did so soon after, as its fetch or the first
   * request that it passed on shows. Where neither would be recorded, for as long as learning takes.
   */
  #stillLearning(boot: Boot, peer: Boot, timeUs: number): boolean {
    const edge = this.#context.edges.find((e) => e.source === boot.server && e.destination === peer.server);
    const together = Math.max(boot.from, peer.from);
    const signs = [
      ...(edge === undefined ? [] : [edge.attempts.ok]),
      ...this.#context.pairs.filter(isBetween(boot, peer)).map(({ total }) => total.times),
    ];
    if (signs.some((times) => times.between(together, timeUs) > 0)) return false;
    const learnt = signs.flatMap((times) => [...times.entries()].map(([at]) => at));
    if (learnt.some((at) => at > timeUs && at >= together && at <= together + SETTLING)) return true;
    const started = boot.from >= peer.from ? isStart(boot) : isStart(peer);
    if (!started || timeUs > together + SETTLING || this.#context.proxies.of(boot).state === 'inactive') return false;
    return !recordsFetches(boot.server, peer.server);
  }
}

function isBetween(boot: Boot, peer: Boot): (pair: ProxiedPair) => boolean {
  return ({ total }) => boot.lives.includes(total.source) && peer.lives.includes(total.destination);
}

function isMarked(boot: Boot): boolean {
  return boot.lives.some((life) => life.uid !== '' || life.version !== '');
}

export function notFoundSummaries(view: NotFoundView): NotFoundSummary[] {
  return view.totals.flatMap((total) =>
    kinds(total).map(({ kind, count, clients }) => ({
      cluster: total.server.cluster,
      server: total.server.name,
      resource: total.resource,
      kind,
      count,
      clients,
    })),
  );
}

export function notFoundObservations(view: NotFoundView): Observation[] {
  return view.totals.flatMap((total) =>
    kinds(total).map(({ kind, count, clients }) => {
      const wrong = kind === 'wrong';
      const basis = strongest(total.bases);
      const boots = total.server.boots;
      return {
        type: 'not-found' as const,
        ...facts({
          cluster: total.server.cluster,
          server: total.server.name,
          from: wrong ? total.from : (boots[0]?.from ?? 0),
          to: wrong ? total.to : (boots.at(-1)?.to ?? 0),
          count,
          certainty: wrong ? certaintyOf(total) : 'likely',
          evidence: wrong ? [total.evidence] : [],
        }),
        resource: total.resource,
        kind,
        clients: clients.slice(0, 10),
        servedBy: wrong ? [...total.servedBy].sort() : [],
        basis: wrong ? basis : ('none' as const),
      };
    }),
  );
}

function certaintyOf({ sure, bases }: NotFoundTotal): 'certain' | 'likely' | 'possible' {
  if (!sure) return 'possible';
  return strongest(bases) === 'version-table' ? 'likely' : 'certain';
}

function kinds(total: NotFoundTotal): { kind: NotFoundSummary['kind']; count: number; clients: string[] }[] {
  const rows = [
    { kind: 'wrong' as const, count: total.wrong.total, clients: total.clients.names() },
    { kind: 'undecided' as const, count: total.undecided, clients: total.objectClients.names() },
    { kind: 'unknown-type' as const, count: total.unknownType, clients: total.objectClients.names() },
    { kind: 'object' as const, count: total.object, clients: total.objectClients.names() },
  ];
  return rows.filter((row) => row.count > 0);
}

function strongest(bases: ReadonlySet<Basis>): Basis {
  for (const basis of ['requests', 'discovery', 'process-log', 'version-table'] as const)
    if (bases.has(basis)) return basis;
  return 'none';
}
