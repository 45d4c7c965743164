/** The four kinds of 404: wrong (a live peer serves it), of an object, of a type nobody serves, and undecided. */
import type { NotFoundSummary } from '../../model/analysis.js';
import type { Observation } from '../../model/observations/index.js';
import { SECOND } from '../../model/time.js';
import { EvidenceSet } from '../evidence.js';
import type { Answers } from '../serving/outcomes.js';
import { isBuiltIn } from '../serving/version-table.js';
import { NameCounts } from '../sketch.js';
import { TimeHistogram } from '../time-histogram.js';
import { type Context, facts } from './context.js';
import { recordsFetches } from './edges.js';
import type { ProxiedPair } from './pairs-view.js';
import { type Boot, isStart, isUp, type ServerView } from './server-view.js';
import type { Basis, BootOutcome } from './serving.js';

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

  constructor(
    readonly server: ServerView,
    readonly resource: string,
  ) {}
}

export class NotFoundView {
  readonly totals: NotFoundTotal[];
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
    const byKey = new Map<string, NotFoundTotal>();
    for (const entry of context.serving.outcomes()) {
      const key = `${entry.boot.server.cluster} ${entry.boot.server.name} ${entry.resource}`;
      const total = byKey.get(key) ?? new NotFoundTotal(entry.boot.server, entry.resource);
      if (this.#add(entry, total)) byKey.set(key, total);
    }
    this.totals = [...byKey.keys()].sort().flatMap((key) => byKey.get(key) ?? []);
  }

  /** The servers that serve the resource at that time while this boot says 404; empty when the 404 is right or cannot be judged. */
  wrongAt(boot: Boot, resource: string, timeUs: number, relayable: boolean): { server: ServerView; basis: Basis }[] {
    const context = this.#context;
    if (!isBuiltIn(resource) || !isUp(boot, timeUs, GRACE) || context.serving.of(boot, resource).serves === true)
      return [];
    const peers = context.servers.all.filter(
      (server) => server !== boot.server && server.cluster === boot.server.cluster,
    );
    const serving: { server: ServerView; basis: Basis }[] = [];
    for (const server of peers) {
      for (const other of server.boots) {
        if (!isUp(other, timeUs, GRACE) || this.#stillLearning(boot, other, timeUs)) continue;
        const { serves, basis } = context.serving.of(other, resource);
        // Without boot ID and version no start is seen: a first answer may be that of a server just upgraded.
        if (!isMarked(other) && !context.serving.answeredAround(other, resource, timeUs - GRACE)) continue;
        if (serves === true) serving.push({ server, basis });
      }
    }
    if (serving.length === 0 || !relayable) return serving;
    // A bare 404 may come from a peer whose log is not here; where all logs are, its partner would have been found.
    const blind = context.servers.partial || peers.some((server) => !server.hasAudit);
    return blind && context.proxies.of(boot).state !== 'inactive' ? [] : serving;
  }

  #add({ boot, resource, outcomes }: BootOutcome, total: NotFoundTotal): boolean {
    const before = total.wrong.total + total.undecided + total.unknownType + total.object;
    const relayed = this.#relayed(boot, resource);
    total.object += relayed;
    for (const outcome of outcomes) {
      total.object += outcome.objectNotFound;
      if (outcome.objectClients !== undefined) total.objectClients.merge(outcome.objectClients);
    }
    this.#decide(
      outcomes.flatMap((outcome) => outcome.bare ?? []),
      boot,
      total,
      relayed,
      true,
    );
    this.#decide(
      outcomes.flatMap((outcome) => outcome.unknownType ?? []),
      boot,
      total,
      0,
      false,
    );
    return total.wrong.total + total.undecided + total.unknownType + total.object > before;
  }

  /** Sorts answers of one shape into wrong and others; `relayed` of them were a destination's. */
  #decide(list: readonly Answers[], boot: Boot, total: NotFoundTotal, relayed: number, relayable: boolean): void {
    if (list.length === 0) return;
    const times = new TimeHistogram();
    for (const answers of list) times.merge(answers.times);
    let pairs = relayed;
    let wrong = 0;
    const wrongAt = new Set<number>();
    for (const [timeUs, all] of times.entries()) {
      const count = all - Math.min(pairs, all);
      pairs -= all - count;
      if (count === 0) continue;
      const serving = this.wrongAt(boot, total.resource, timeUs, relayable);
      if (serving.length === 0) this.#undecided(total, total.resource, count);
      else {
        wrong += count;
        wrongAt.add(timeUs);
        total.wrong.add(timeUs, count);
        for (const { server, basis } of serving) {
          total.servedBy.add(server.name);
          total.bases.add(basis);
        }
      }
    }
    for (const answers of list) (wrong > 0 ? total.clients : total.objectClients).merge(answers.clients);
    if (wrong === 0) return;
    const proves = (timeUs: number) => wrongAt.has(Math.floor(timeUs / times.width) * times.width);
    for (const answers of list) total.evidence.merge(answers.evidence.where(proves));
    // Where all of them are wrong their exact times are known.
    total.from = Math.min(total.from, wrong === times.total ? times.first : total.wrong.first);
    total.to = Math.max(total.to, wrong === times.total ? times.last : total.wrong.last);
  }

  /** 404s that a destination gave and this boot only passed back. */
  #relayed(boot: Boot, resource: string): number {
    const { state, pairs } = this.#context;
    return pairs
      .filter(({ total }) => boot.lives.includes(total.source) && state.resources.name(total.resource) === resource)
      .reduce((sum, { total }) => sum + total.sourceNotFound.total, 0);
  }

  #undecided(total: NotFoundTotal, resource: string, count: number): void {
    const served = this.#context.servers.all.some((server) =>
      server.boots.some((boot) => this.#context.serving.of(boot, resource).serves === true),
    );
    if (served) total.undecided += count;
    else total.unknownType += count;
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
          certainty: wrong && basis !== 'version-table' ? 'certain' : 'likely',
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
