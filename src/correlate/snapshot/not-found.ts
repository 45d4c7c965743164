/** The four kinds of 404: wrong (a live peer serves it), of an object, of a type nobody serves, and undecided. */
import type { NotFoundSummary } from '../../model/analysis.js';
import type { Observation } from '../../model/observations/index.js';
import { EvidenceSet } from '../evidence.js';
import type { Answers } from '../serving/outcomes.js';
import { NameCounts } from '../sketch.js';
import { TimeHistogram } from '../time-histogram.js';
import { type Context, facts } from './context.js';
import { Relayed, type RelayedNotFound } from './relayed.js';
import type { Boot, ServerView } from './server-view.js';
import type { Basis, BootOutcome } from './serving.js';
import { clustersWithForwarders, peersAreTold } from './strangers.js';
import { type Span, type Witness, Witnesses } from './witnesses.js';

type Certainty = 'possible' | 'likely' | 'certain';

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
  /** How sure it is that some wrong answers were not those of a server of which there are no records. */
  certainty: Certainty = 'possible';

  constructor(
    readonly server: ServerView,
    readonly resource: string,
  ) {}
}

export class NotFoundView {
  readonly totals: NotFoundTotal[];
  readonly #context: Context;
  readonly #relayed: Relayed;
  readonly #witnesses: Witnesses;
  readonly #peersTold: boolean;
  readonly #forwarders: ReadonlySet<string>;

  constructor(context: Context) {
    this.#context = context;
    this.#relayed = new Relayed(context.state, context.serving, context.pairs);
    this.#witnesses = new Witnesses(context, this.#relayed);
    this.#peersTold = peersAreTold(context.state);
    this.#forwarders = clustersWithForwarders(context.state, context.servers, context.addresses);
    const byKey = new Map<string, NotFoundTotal>();
    for (const entry of context.serving.outcomes()) {
      const key = `${entry.boot.server.cluster} ${entry.boot.server.name} ${entry.resource}`;
      const total = byKey.get(key) ?? new NotFoundTotal(entry.boot.server, entry.resource);
      if (this.#add(entry, total)) byKey.set(key, total);
    }
    this.totals = [...byKey.keys()].sort().flatMap((key) => byKey.get(key) ?? []);
  }

  /** The servers that serve the resource at that time while this boot says 404; empty when the 404 is right or cannot be judged. */
  wrongAt(boot: Boot, resource: string, timeUs: number, relayable: boolean): Witness[] {
    if (relayable && this.#relayed.unexplained(boot, resource, timeUs, timeUs) > 0) return [];
    return this.#wrongIn(boot, resource, { from: timeUs, to: timeUs }, relayable);
  }

  /** Those that serve it at both ends of the time, in which the answers of the boot were its own or cannot be told from others. */
  #wrongIn(boot: Boot, resource: string, { from, to }: Span, relayable: boolean): Witness[] {
    const last = from === to ? undefined : this.#witnesses.servingAt(boot, resource, to).map(({ server }) => server);
    const serving = this.#witnesses
      .servingAt(boot, resource, from)
      .filter(({ server }) => last?.includes(server) !== false);
    if (serving.length === 0 || !relayable || this.#areItsOwn(boot, resource, { from, to })) return serving;
    return this.#witnesses.reachesNobody(boot) ? serving : [];
  }

  /**
   * A bare 404 may come from a peer whose log is not here; where all logs are, its partner would have been found. Where
   * nothing would tell of a further server, one that passes such requests on at that time gives no answers in between.
   */
  #areItsOwn(boot: Boot, resource: string, span: Span): boolean {
    if (this.#passesNothingOn(boot, span)) return true;
    if (this.#witnesses.isBlind(boot, span)) return false;
    return this.#peersTold || !this.#relayed.passesOnAround(boot, resource, span.from, span.to);
  }

  #passesNothingOn(boot: Boot, { from, to }: Span): boolean {
    const isLogged = this.#relayed.isLogged(boot, from) && this.#relayed.isLogged(boot, to);
    return isLogged || this.#context.proxies.of(boot).state === 'inactive';
  }

  /** Where nothing would tell of a further server only the number of logs speaks against one. */
  #certaintyOfOwn(boot: Boot, span: Span): Certainty {
    if (this.#passesNothingOn(boot, span)) return 'certain';
    if (this.#witnesses.isBlind(boot, span)) return 'possible';
    if (this.#peersTold) return 'certain';
    return this.#forwarders.has(boot.server.cluster) ? 'possible' : 'likely';
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
        if (this.#witnesses.mayBeServed(boot, total.resource, span)) total.undecided += count;
        else total.unknownType += count;
        continue;
      }
      wrong += count;
      wrongAt.add(timeUs);
      total.certainty = surer(total.certainty, relayable ? this.#certaintyOfOwn(boot, span) : 'certain');
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

function certaintyOf({ certainty, bases }: NotFoundTotal): Certainty {
  return certainty === 'certain' && strongest(bases) === 'version-table' ? 'likely' : certainty;
}

const CERTAINTIES = ['possible', 'likely', 'certain'] as const;

function surer(a: Certainty, b: Certainty): Certainty {
  return CERTAINTIES.indexOf(a) < CERTAINTIES.indexOf(b) ? b : a;
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
