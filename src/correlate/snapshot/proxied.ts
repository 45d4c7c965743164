/** Proxied requests: routes, their timing, and identity that got lost on the way. */
import type { Route } from '../../model/analysis.js';
import type { Observation } from '../../model/observations/index.js';
import { SECOND } from '../../model/time.js';
import { EvidenceSet } from '../evidence.js';
import { NameCounts, Sample } from '../sketch.js';
import { TimeHistogram } from '../time-histogram.js';
import { blame, type PeerEdge } from './blame.js';
import { type Context, edgeNames, facts } from './context.js';
import type { Outage } from './outages.js';
import type { ProxiedPair } from './pairs-view.js';
import type { ServerView } from './server-view.js';

/** So long before and after a request that failed, others may have waited for the same reason. */
const AROUND = 30 * SECOND;

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
  const { cluster } = source;
  return { cluster, source: source.name, destination: destination.name, verb, resource, code, count, hopMs };
}

/** `outages` tell over which edges requests failed, and when. */
export function proxiedObservations(
  context: Context,
  routes: readonly RouteTotal[],
  outages: readonly Outage[],
): Observation[] {
  return [...routes.map(proxiedRequest), ...latencies(context, outages), ...replacedIdentities(context)];
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

interface Latency {
  readonly edge: PeerEdge;
  readonly hop: Sample;
  readonly times: TimeHistogram;
  readonly slow: TimeHistogram;
  readonly lagging: TimeHistogram;
  readonly evidence: EvidenceSet;
}

function latencies(context: Context, outages: readonly Outage[]): Observation[] {
  const byEdge = new Map<string, Latency>();
  for (const { source, destination, total } of context.pairs) {
    const key = `${source.cluster} ${source.name} ${destination.name}`;
    const entry = byEdge.get(key) ?? {
      edge: { source, destination },
      hop: new Sample(),
      times: new TimeHistogram(),
      slow: new TimeHistogram(),
      lagging: new TimeHistogram(),
      evidence: new EvidenceSet(),
    };
    byEdge.set(key, entry);
    if (total.hop.count === 0) continue;
    entry.hop.merge(total.hop);
    entry.times.merge(total.times);
    entry.slow.merge(total.slow);
    entry.lagging.merge(total.lagging);
    entry.evidence.merge(total.evidence);
  }
  return [...byEdge.values()]
    .filter(({ hop }) => hop.count > 0)
    .map(({ edge, hop, times, slow, lagging, evidence }) => ({
      type: 'proxy-latency' as const,
      ...facts({
        cluster: edge.source.cluster,
        server: edge.source.name,
        from: times.first,
        to: times.last,
        count: hop.count,
        certainty: 'certain',
        edges: edgeNames([edge]),
        evidence: [evidence],
      }),
      p50: round(hop.quantile(0.5)),
      p99: round(hop.quantile(0.99)),
      max: round(hop.max),
      slow: outsideOutages(slow, edge, outages),
      lagging: outsideOutages(lagging, edge, outages),
    }));
}

/** What waited for the end of an outage says nothing of the way. */
function outsideOutages(times: TimeHistogram, edge: PeerEdge, outages: readonly Outage[]): number {
  const own = outages.filter(
    ({ source, destination }) => source === edge.source && (destination ?? edge.destination) === edge.destination,
  );
  let count = 0;
  for (const [at, found] of times.entries()) {
    const [from, to] = [at - AROUND, at + times.width + AROUND];
    if (!own.some((outage) => outage.times.between(from, to) > 0)) count += found;
  }
  return count;
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
  for (const arrivals of context.state.fetches.all()) {
    const destination = context.servers.of(arrivals.destination);
    if (destination === undefined || arrivals.replaced.total === 0) continue;
    for (const { source, fetches } of context.addresses.sendersOf(arrivals, destination.cluster)) {
      if (source === destination || fetches.replaced.total === 0) continue;
      const entry = entryOf(source, destination);
      entry.users.merge(fetches.users);
      entry.times.merge(fetches.replaced);
      entry.evidence.merge(fetches.replacedEvidence);
    }
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

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
