/** Observations about peer discovery: the matrix, edges that were never learnt, leases given up, stale documents. */
import type { Capability, DiscoveryCell } from '../../model/analysis.js';
import type { Observation } from '../../model/observations/index.js';
import { HOUR } from '../../model/time.js';
import { EvidenceSet } from '../evidence.js';
import { misdirectedServers } from './advertised.js';
import { blame } from './blame.js';
import { type Context, edgeNames, facts } from './context.js';
import type { EdgeView } from './edges.js';
import { type Boot, hostOf, isUp, peerAddressOf, type ServerView } from './server-view.js';

/** So long a lease is good after its last renewal. */
const LEASE = HOUR;

export function discoveryCells(context: Context): DiscoveryCell[] {
  return context.edges.map((edge) => ({
    cluster: edge.source.cluster,
    source: edge.source.name,
    destination: edge.destination.name,
    state: edge.state,
    fetches: edge.fetches,
    failures: edge.failed,
    lastAt: edge.lastAt,
    cause: edge.cause,
  }));
}

export function discoveryObservations(context: Context): Observation[] {
  return [...context.edges.map(cell), ...gaps(context), ...dropped(context), ...stale(context)];
}

function cell(edge: EdgeView): Observation {
  const failures = [...edge.failures.values()];
  const from = Math.min(edge.attempts.ok.first, ...failures.map((f) => f.times.first));
  return {
    type: 'peer-discovery',
    ...facts({
      cluster: edge.source.cluster,
      server: edge.source.name,
      from: Number.isFinite(from) ? from : (edge.together?.from ?? 0),
      to: edge.lastAt ?? edge.together?.to ?? 0,
      count: edge.fetches + edge.failed,
      certainty: 'certain',
      edges: edgeNames([edge]),
      evidence: [edge.attempts.okEvidence, ...failures.map((f) => f.evidence)],
    }),
    state: edge.state,
    cause: edge.cause,
    fetches: edge.fetches,
    failures: edge.failed,
  };
}

/** Edges without a named cause; a server without a peer proxy is another matter, and so is a peer without a gate or with another's address. */
function gaps(context: Context): Observation[] {
  const misdirected = misdirectedServers(context.servers);
  const open = context.edges.filter(
    (edge) =>
      edge.state === 'missing' &&
      !misdirected.has(edge.destination) &&
      context.proxies.last(edge.source).state !== 'inactive' &&
      context.proxies.last(edge.destination).reason !== 'gate-off' &&
      !advertisesAnother(context, edge.destination) &&
      edge.failures.size === 0,
  );
  const healthy = context.edges.filter((edge) => edge.state === 'ok');
  return [...new Set(open.map((edge) => edge.source.cluster))].flatMap((cluster) =>
    blame(
      open.filter((edge) => edge.source.cluster === cluster),
      healthy.filter((edge) => edge.source.cluster === cluster),
      'source',
    ).map(({ server, role, edges, explained }) => gap(context, explained ? server : null, role, edges)),
  );
}

/** Whoever looks for it may reach another server: that their addresses are wrong is told elsewhere. */
function advertisesAnother({ addresses, servers }: Context, server: ServerView): boolean {
  const address = peerAddressOf(server) ?? '';
  if (address === '') return false;
  const owner = addresses.ownerOf(hostOf(address), server.cluster);
  const others = servers.all.filter((other) => other !== server && other.cluster === server.cluster);
  return others.some((other) => other === owner || (other.boots.length > 0 && peerAddressOf(other) === address));
}

function gap(
  context: Context,
  server: ServerView | null,
  role: 'source' | 'destination',
  edges: readonly EdgeView[],
): Observation {
  const together = edges.map((edge) => edge.together).filter((span) => span !== null);
  const active = edges.every((edge) => context.proxies.last(edge.source).state === 'active');
  return {
    type: 'peer-discovery-gap',
    ...facts({
      cluster: edges[0]?.source.cluster ?? '',
      server: server?.name ?? null,
      from: Math.min(...together.map((span) => span.from)),
      to: Math.max(...together.map((span) => span.to)),
      count: edges.length,
      certainty: active ? 'likely' : 'possible',
      edges: edgeNames(edges),
      evidence: witnesses(context, edges),
    }),
    blamed: role,
    tried: false,
  };
}

/** What shows that the destinations would have logged a fetch: other peers' fetches, or their own start. */
function witnesses(context: Context, edges: readonly EdgeView[]): EvidenceSet[] {
  const destinations = new Set(edges.map((edge) => edge.destination));
  return context.edges
    .filter((edge) => destinations.has(edge.destination) && edge.state === 'ok')
    .map((edge) => edge.attempts.okEvidence);
}

function dropped(context: Context): Observation[] {
  const observations: Observation[] = [];
  const byKey = new Map<string, typeof context.state.calls.dropped>();
  for (const entry of context.state.calls.dropped) {
    const source = context.servers.of(entry.life);
    if (source === undefined) continue;
    const key = `${source.cluster} ${source.name} ${entry.lease}`;
    byKey.set(key, [...(byKey.get(key) ?? []), entry]);
  }
  for (const entries of byKey.values()) {
    const [first] = entries;
    const source = first === undefined ? undefined : context.servers.of(first.life);
    if (first === undefined || source === undefined) continue;
    const times = entries.map((entry) => entry.timeUs);
    const last = Math.max(...times);
    const outgoing = context.edges.filter((edge) => edge.source === source);
    const evidence = new EvidenceSet();
    for (const { life, line } of entries)
      evidence.add(line.timeUs, life.writer.input, line.line, line.offset, line.text);
    observations.push({
      type: 'peer-discovery-dropped',
      ...facts({
        cluster: source.cluster,
        server: source.name,
        from: Math.min(...times),
        to: last,
        count: entries.length,
        certainty: 'certain',
        edges: edgeNames(outgoing.filter((edge) => edge.state !== 'ok')),
        evidence: [evidence],
      }),
      lease: first.lease,
      fetchedAgain:
        outgoing.length > 0 && outgoing.every((edge) => edge.state === 'ok' || edge.attempts.ok.last > last),
    });
  }
  return observations;
}

/** What the documents, and what was given with them, can show. */
export function documentCapabilities(context: Context): Capability[] {
  const at = context.state.leases.listedAt;
  const listing = context.servers.all.filter(hasMerged);
  const unseen = unseenClusters(context, at);
  return [
    ...(listing.length > 0 ? (['discovery-documents'] as const) : []),
    ...(listing.some(hasBoth) ? (['own-discovery-documents'] as const) : []),
    ...(at > 0 ? (['lease-list'] as const) : []),
    ...(listing.some(({ cluster }) => unseen.has(cluster)) ? [] : (['all-servers'] as const)),
  ];
}

function hasMerged({ documents }: ServerView): boolean {
  return documents.some((d) => d.merged.size > 0);
}

function hasBoth(server: ServerView): boolean {
  return hasMerged(server) && server.documents.some((d) => d.nopeer.size > 0);
}

/** Clusters in which a server may have run then of which there are no records. */
function unseenClusters({ servers }: Context, at: number): ReadonlySet<string> {
  return new Set(servers.all.filter((server) => mayRun(server, at)).map(({ cluster }) => cluster));
}

/**
 * What merged discovery advertises and no server that was up serves; not what a crashed peer's lease keeps alive for its
 * hour, and nothing where a server runs of which no records tell what it serves.
 */
function stale(context: Context): Observation[] {
  const at = context.state.leases.listedAt;
  if (at === 0) return [];
  const unseen = unseenClusters(context, at);
  return context.servers.all.flatMap((server) => {
    const merged = new Set(server.documents.flatMap((d) => [...d.merged]));
    if (!hasMerged(server) || !hasBoth(server) || unseen.has(server.cluster)) return [];
    const boots = context.servers.all.filter((s) => s.cluster === server.cluster).flatMap((s) => s.boots);
    const live = boots.filter((boot) => isUp(boot, at, 0));
    const crashed = boots.filter((boot) => boot.stoppedAt === 0 && boot.to < at && boot === boot.server.boots.at(-1));
    const served = (boot: Boot, resource: string) => context.serving.of(boot, resource).serves !== false;
    const resources = [...merged]
      .filter((r) => live.length > 0 && ![...live, ...crashed].some((boot) => served(boot, r)))
      .sort();
    if (resources.length === 0) return [];
    const count = resources.length;
    return {
      type: 'discovery-stale' as const,
      ...facts({
        cluster: server.cluster,
        server: server.name,
        from: at,
        to: at,
        count,
        certainty: 'likely',
        evidence: [],
      }),
      resources: resources.slice(0, 50),
    };
  });
}

/** No records of it are there, and its lease, if one is known, was renewed too late to have run out. */
function mayRun({ boots, leases }: ServerView, at: number): boolean {
  return boots.length === 0 && (leases.length === 0 || leases.some((lease) => lease.to >= at - LEASE));
}
