/** What the builders of observations share: one look at the state, resolved once for a snapshot. */
import type { Edge } from '../../model/finding.js';
import type { ReusedAuditIDs } from '../audit-id-reuse.js';
import type { State } from '../cluster-correlator.js';
import { type EvidenceSet, mergeEvidence } from '../evidence.js';
import { type Addresses, resolveAddresses } from './addresses.js';
import { type ControlPlane, controlPlanes, partClusters } from './control-planes.js';
import { buildEdges, type EdgeView } from './edges.js';
import { FailedHops } from './failed-hops.js';
import { gatherPairs, type ProxiedPair, validPairs } from './pairs-view.js';
import { ProxyStates } from './proxy-state.js';
import type { ServerView } from './server-view.js';
import { resolveServers, type Servers } from './servers.js';
import { Serving } from './serving.js';

export interface Context {
  readonly state: State;
  readonly servers: Servers;
  readonly addresses: Addresses;
  readonly pairs: readonly ProxiedPair[];
  readonly reuse: ReusedAuditIDs;
  readonly proxies: ProxyStates;
  readonly serving: Serving;
  readonly edges: readonly EdgeView[];
  readonly hops: FailedHops;
  /** Clusters that no name tells apart, and that were parted here; empty where there are none. */
  readonly planes: readonly ControlPlane[];
}

export function openContext(state: State): Context {
  for (const rates of state.rates.values()) rates.flush();
  const servers = resolveServers(state);
  const whole = resolve(state, servers);
  const planes = controlPlanes(state, whole);
  if (planes.length === 0) return { ...whole, planes };
  const parted = partClusters(planes, servers, resolveServers(state));
  return { ...resolve(state, parted.servers), planes: parted.planes };
}

function resolve(state: State, servers: Servers): Omit<Context, 'planes'> {
  const { totals, reuse } = gatherPairs(state);
  const addresses = resolveAddresses(state, servers, totals.all());
  const pairs = validPairs(totals, servers, addresses);
  const proxies = new ProxyStates(state, servers, addresses, pairs);
  const serving = new Serving(state, servers, pairs);
  const edges = buildEdges(state, servers, addresses, proxies, pairs);
  const hops = new FailedHops(state, servers, addresses, pairs, serving);
  return { state, servers, addresses, pairs, reuse, proxies, serving, edges, hops };
}

export function edgeNames(edges: Iterable<{ readonly source: ServerView; readonly destination: ServerView }>): Edge[] {
  const unique = new Map<string, Edge>();
  for (const { source, destination } of edges) {
    unique.set(`${source.name} ${destination.name}`, { source: source.name, destination: destination.name });
  }
  return [...unique.keys()].sort().flatMap((key) => unique.get(key) ?? []);
}

export interface Facts {
  readonly cluster: string;
  readonly server: string | null;
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly certainty: 'possible' | 'likely' | 'certain';
  readonly edges?: readonly Edge[];
  readonly evidence: Iterable<EvidenceSet>;
}

/** The base fields of an observation, with times made finite and evidence cut to five. */
export function facts({ cluster, server, from, to, count, certainty, edges = [], evidence }: Facts) {
  return {
    from: Number.isFinite(from) ? Math.floor(from) : 0,
    to: Number.isFinite(to) ? Math.floor(to) : 0,
    count: Math.max(1, count),
    cluster,
    server,
    edges: [...edges],
    certainty,
    evidence: mergeEvidence(evidence),
  };
}
