/** Proxied requests: routes, their timing, identity that got lost on the way, and requests that reached nobody. */
import type { Route } from '../../model/analysis.js';
import type { Observation, PeerCallCause } from '../../model/observations/index.js';
import { EvidenceSet } from '../evidence.js';
import { Attempts, type Failures } from '../peers/attempts.js';
import { isBuiltIn } from '../serving/version-table.js';
import { NameCounts, Sample } from '../sketch.js';
import { TimeHistogram } from '../time-histogram.js';
import { blame } from './blame.js';
import { type Context, edgeNames, facts } from './context.js';
import type { ProxiedPair } from './pairs-view.js';
import { peerServers } from './peer-servers.js';
import { isUp, type ServerView } from './server-view.js';
import type { BootOutcome } from './serving.js';

interface RouteTotal extends Pick<ProxiedPair, 'source' | 'destination'> {
  readonly verb: string;
  readonly resource: string;
  readonly code: number | null;
  count: number;
  readonly hop: Sample;
  readonly times: TimeHistogram;
  readonly evidence: EvidenceSet;
}

export function routeTotals(context: Context): RouteTotal[] {
  const byKey = new Map<string, RouteTotal>();
  for (const { source, destination, total } of context.pairs) {
    const resource = context.state.resources.name(total.resource);
    const code = total.code === 0 ? null : total.code;
    const key = [source.cluster, source.name, destination.name, resource, total.verb, code ?? ''].join(' ');
    let route = byKey.get(key);
    if (route === undefined) {
      const fresh = { hop: new Sample(), times: new TimeHistogram(), evidence: new EvidenceSet(3) };
      route = { source, destination, verb: total.verb, resource, code, count: 0, ...fresh };
      byKey.set(key, route);
    }
    route.count += total.count;
    route.hop.merge(total.hop);
    route.times.merge(total.times);
    route.evidence.merge(total.evidence);
  }
  return [...byKey.keys()].sort().flatMap((key) => byKey.get(key) ?? []);
}

export function toRoute(route: RouteTotal): Route {
  const { source, destination, verb, resource, code, count, hop } = route;
  const hopMs =
    hop.count === 0 ? null : { p50: round(hop.quantile(0.5)), p99: round(hop.quantile(0.99)), max: round(hop.max) };
  return { source: source.name, destination: destination.name, verb, resource, code, count, hopMs };
}

export function proxiedObservations(context: Context, routes: readonly RouteTotal[]): Observation[] {
  return [...routes.map(proxiedRequest), ...latencies(context), ...replacedIdentities(context)];
}

function proxiedRequest(route: RouteTotal): Observation {
  return {
    type: 'proxied-request',
    ...facts({
      cluster: route.source.cluster,
      server: route.source.name,
      from: route.times.first,
      to: route.times.last,
      count: route.count,
      certainty: 'certain',
      edges: edgeNames([route]),
      evidence: [route.evidence],
    }),
    verb: route.verb,
    resource: route.resource,
    code: route.code,
  };
}

function latencies(context: Context): Observation[] {
  const byEdge = new Map<string, { pair: ProxiedPair; hop: Sample; times: TimeHistogram; evidence: EvidenceSet }>();
  for (const pair of context.pairs) {
    const key = `${pair.source.cluster} ${pair.source.name} ${pair.destination.name}`;
    const entry = byEdge.get(key) ?? {
      pair,
      hop: new Sample(),
      times: new TimeHistogram(),
      evidence: new EvidenceSet(),
    };
    byEdge.set(key, entry);
    entry.hop.merge(pair.total.hop);
    if (pair.total.hop.count > 0) {
      entry.times.merge(pair.total.times);
      entry.evidence.merge(pair.total.evidence);
    }
  }
  return [...byEdge.values()]
    .filter(({ hop }) => hop.count > 0)
    .map(({ pair, hop, times, evidence }) => ({
      type: 'proxy-latency' as const,
      ...facts({
        cluster: pair.source.cluster,
        server: pair.source.name,
        from: times.first,
        to: times.last,
        count: hop.count,
        certainty: 'certain',
        edges: edgeNames([pair]),
        evidence: [evidence],
      }),
      p50: round(hop.quantile(0.5)),
      p99: round(hop.quantile(0.99)),
      max: round(hop.max),
    }));
}

/** Destinations that saw the proxy certificate's own name, in proxied requests or in peer discovery. */
function replacedIdentities(context: Context): Observation[] {
  const replaced = new Map<
    string,
    { source: ServerView; destination: ServerView; users: NameCounts; times: TimeHistogram; evidence: EvidenceSet }
  >();
  const entryOf = (source: ServerView, destination: ServerView) => {
    const key = `${source.cluster} ${source.name} ${destination.name}`;
    const entry = replaced.get(key) ?? {
      source,
      destination,
      users: new NameCounts(8),
      times: new TimeHistogram(),
      evidence: new EvidenceSet(),
    };
    replaced.set(key, entry);
    return entry;
  };
  for (const { source, destination, total } of context.pairs) {
    if (total.otherUsers.names().length === 0) continue;
    const entry = entryOf(source, destination);
    entry.users.merge(total.otherUsers);
    entry.times.merge(total.times);
    entry.evidence.merge(total.evidence);
  }
  for (const fetches of context.state.fetches.all()) {
    if (fetches.replaced.total === 0) continue;
    const destination = context.servers.of(fetches.destination);
    const source = destination === undefined ? undefined : context.addresses.ownerOf(fetches.from, destination.cluster);
    if (source === undefined || destination === undefined || source === destination) continue;
    const entry = entryOf(source, destination);
    entry.users.merge(fetches.users);
    entry.times.merge(fetches.replaced);
    entry.evidence.merge(fetches.replacedEvidence);
  }
  const healthy = context.pairs.filter(
    ({ source, destination }) => !replaced.has(`${source.cluster} ${source.name} ${destination.name}`),
  );
  return blame([...replaced.values()], healthy, 'source').map(({ server, edges }) => {
    const users = new NameCounts(8);
    const times = new TimeHistogram();
    for (const edge of edges) {
      users.merge(edge.users);
      times.merge(edge.times);
    }
    return {
      type: 'identity-replaced' as const,
      ...facts({
        cluster: server.cluster,
        server: server.name,
        from: times.first,
        to: times.last,
        count: times.total,
        certainty: 'certain',
        edges: edgeNames(edges),
        evidence: edges.map((edge) => edge.evidence),
      }),
      user: users.names()[0] ?? '',
    };
  });
}

/** Requests that a source tried to pass on and that reached no destination. */
export function proxyFailures(context: Context): { observations: Observation[]; failed: number } {
  const bySource = new Map<ServerView, BootOutcome[]>();
  for (const entry of context.serving.outcomes()) {
    if (!entry.outcomes.some((outcome) => outcome.failed !== undefined) || !isProxyFailure(context, entry)) continue;
    bySource.set(entry.boot.server, [...(bySource.get(entry.boot.server) ?? []), entry]);
  }
  const observations: Observation[] = [];
  let failed = 0;
  for (const [source, entries] of bySource) {
    const answers = entries.flatMap((entry) => entry.outcomes).flatMap((outcome) => outcome.failed ?? []);
    const reached = context.pairs
      .filter((pair) => pair.source === source)
      .reduce((sum, pair) => sum + pair.total.sourceFailed.total, 0);
    const times = new TimeHistogram();
    const codes = new NameCounts(8);
    for (const answer of answers) {
      times.merge(answer.times);
      codes.merge(answer.codes);
    }
    const count = times.total - reached;
    if (count <= 0) continue;
    failed += count;
    observations.push(
      failure(context, source, entries, { times, codes, count, writes: answers.reduce((sum, a) => sum + a.writes, 0) }),
    );
  }
  return { observations, failed };
}

/** A failed answer for a resource that the boot does not serve itself and that a peer does, or that it passed on before. */
export function isProxyFailure(context: Context, { boot, resource }: Pick<BootOutcome, 'boot' | 'resource'>): boolean {
  if (context.serving.passedOn(boot, resource)) return true;
  if (!isBuiltIn(resource) || context.proxies.of(boot).state === 'inactive') return false;
  if (context.serving.of(boot, resource).serves === true) return false;
  const peers = context.servers.all.filter(
    (server) => server !== boot.server && server.cluster === boot.server.cluster,
  );
  return peers.some((server) => server.boots.some((other) => context.serving.of(other, resource).serves === true));
}

/** The cause that the source's process log gives most often for client requests it could not pass on. */
export function loggedCause(context: Context, source: ServerView): PeerCallCause | null {
  return dominant(loggedFailures(context, source).failures);
}

interface FailureTotals {
  readonly times: TimeHistogram;
  readonly codes: NameCounts;
  readonly count: number;
  readonly writes: number;
}

function failure(
  context: Context,
  source: ServerView,
  entries: readonly BootOutcome[],
  totals: FailureTotals,
): Observation {
  const logged = loggedFailures(context, source);
  const evidence = entries.flatMap((entry) => entry.outcomes).flatMap((outcome) => outcome.failed?.evidence ?? []);
  const later = context.pairs.filter(
    (pair) => pair.source === source && pair.total.code < 500 && pair.total.times.last > totals.times.last,
  );
  const destinations = [...logged.destinations];
  const down =
    destinations.length > 0
      ? destinations
      : context.servers.all.filter((s) => s !== source && s.cluster === source.cluster);
  return {
    type: 'proxy-failure',
    ...facts({
      cluster: source.cluster,
      server: source.name,
      from: totals.times.first,
      to: totals.times.last,
      count: totals.count,
      certainty: 'certain',
      edges: edgeNames(destinations.map((destination) => ({ source, destination }))),
      evidence: [...evidence, ...[...logged.failures.values()].map((f) => f.evidence)],
    }),
    cause: dominant(logged.failures),
    resources: [...new Set(entries.map((entry) => entry.resource))].sort(),
    codes: totals.codes
      .names()
      .map(Number)
      .sort((a, b) => a - b),
    writes: totals.writes,
    destinationDown:
      down.length > 0 && down.every((server) => !server.boots.some((boot) => isUp(boot, totals.times.last, 0))),
    recovered: later.length > 0,
  };
}

/** What the source's process log says of client requests that it could not pass on. */
function loggedFailures(
  context: Context,
  source: ServerView,
): { failures: Attempts['failures']; destinations: Set<ServerView> } {
  const peers = peerServers(context.state, context.servers, context.addresses);
  const all = new Attempts();
  const destinations = new Set<ServerView>();
  for (const [key, attempts] of context.state.calls.requests.entries()) {
    const blank = key.indexOf(' ');
    const life = context.state.writers.lives[Number(key.slice(0, blank))];
    if (life === undefined || context.servers.of(life) !== source || attempts.failures.size === 0) continue;
    for (const [cause, failures] of attempts.failures) all.fail(cause).merge(failures);
    const destination = peers.atAddress(key.slice(blank + 1), source);
    if (destination !== undefined && destination !== source) destinations.add(destination);
  }
  return { failures: all.failures, destinations };
}

function dominant(failures: ReadonlyMap<PeerCallCause, Failures>): PeerCallCause | null {
  const ranked = [...failures].sort((a, b) => b[1].times.total - a[1].times.total || (a[0] < b[0] ? -1 : 1));
  return ranked[0]?.[0] ?? null;
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
