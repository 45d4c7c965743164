/** Turns the state of correlation into a snapshot: servers, routes, matrix, 404s, observations, capabilities. */
import type { Capability, ServerSummary, Snapshot } from '../../model/analysis.js';
import type { State } from '../cluster-correlator.js';
import { advertisedAddresses } from './advertised.js';
import { type Context, openContext } from './context.js';
import { planeObservations } from './control-planes.js';
import { discoveryCells, discoveryObservations, documentCapabilities } from './discovery.js';
import { forbiddenDiscovery } from './forbidden-discovery.js';
import { harmObservations } from './harm.js';
import { inactiveProxies } from './inactive-proxies.js';
import { NotFoundView, notFoundObservations, notFoundSummaries } from './not-found.js';
import { peerFailures } from './peer-failures.js';
import { proxiedObservations, routeTotals, toRoute } from './proxied.js';
import { proxyFailures } from './proxy-failures.js';
import { serverFacts } from './server-facts.js';
import { peerAddressOf, type ServerView } from './server-view.js';
import { trailObservations } from './trail.js';
import { versionObservations } from './versions.js';

export function buildSnapshot(state: State): Snapshot {
  const context = openContext(state);
  const routes = routeTotals(context);
  const failures = proxyFailures(context);
  const notFound = new NotFoundView(context);
  const clusters = [...new Set(context.servers.all.map((server) => server.cluster))].sort();
  const can = capabilities(context);
  return {
    window: windowOf(context.servers.all),
    servers: context.servers.all.map((server) => summary(context, server)),
    clusters,
    proxied: {
      total: routes.reduce((sum, route) => sum + route.count, 0),
      failed: failures.failed,
      routes: routes.map(toRoute),
    },
    discovery: discoveryCells(context),
    notFound: notFoundSummaries(notFound),
    observations: [
      ...planeObservations(context.planes),
      ...serverFacts(context),
      ...inactiveProxies(context),
      ...advertisedAddresses(context),
      ...discoveryObservations(context),
      ...peerFailures(context),
      ...forbiddenDiscovery(context),
      ...proxiedObservations(context, routes, failures.outages),
      ...failures.observations,
      ...notFoundObservations(notFound),
      ...harmObservations(context, notFound),
      ...versionObservations(context),
      ...trailObservations(context),
    ],
    writers: writersOf(context),
    capabilities: can,
    capabilitiesOf: new Map(clusters.map((cluster) => [cluster, can])),
  };
}

function windowOf(servers: readonly ServerView[]): Snapshot['window'] {
  const boots = servers.flatMap((server) => server.boots);
  if (boots.length === 0) return null;
  return { from: Math.min(...boots.map((boot) => boot.from)), to: Math.max(...boots.map((boot) => boot.to)) };
}

function summary(context: Context, server: ServerView): ServerSummary {
  const node = server.name === server.identity ? context.state.nodes.of(server.identity) : undefined;
  return {
    name: server.name,
    cluster: server.cluster,
    identity: server.identity,
    addresses: context.addresses.of(server),
    peerAddress: peerAddressOf(server) || null,
    versions: versions(server),
    peerProxy: context.proxies.last(server).state,
    knownBy: server.knownBy,
    starts: server.boots.map((boot) => boot.startSeenAt).filter((at) => at !== 0),
    stops: server.boots.map((boot) => boot.stoppedAt).filter((at) => at !== 0),
    ...(node === undefined ? {} : { node }),
  };
}

function versions(server: ServerView): ServerSummary['versions'] {
  const list: { version: string; from: number; to: number }[] = [];
  for (const boot of server.boots) {
    if (boot.version === '') continue;
    const last = list.at(-1);
    if (last?.version === boot.version) last.to = Math.max(last.to, boot.markedTo);
    else list.push({ version: boot.version, from: boot.markedFrom, to: boot.markedTo });
  }
  return list;
}

function writersOf(context: Context): Map<number, string> {
  const names = new Map<number, Set<string>>();
  for (const server of context.servers.all) {
    for (const { input, mixed } of server.writers)
      for (const { id } of [input, input.of ?? input])
        names.set(id, (names.get(id) ?? new Set()).add(mixed ? '' : server.name));
  }
  return new Map(
    [...names].flatMap(([id, [first, ...others]]) => (first && others.length === 0 ? [[id, first] as const] : [])),
  );
}

function capabilities(context: Context): Set<Capability> {
  const { state, servers } = context;
  const found = new Set<Capability>();
  const withRecords = servers.all.filter((server) => server.boots.length > 0);
  if (servers.all.some((server) => server.hasAudit)) found.add('audit');
  if (servers.all.some((server) => server.hasLog)) found.add('process-log');
  if (withRecords.length > 0 && servers.all.every((server) => server.hasLog)) found.add('all-process-logs');
  if (state.writers.all.some((writer) => writer.apiRequests > 0)) found.add('peer-discovery-audit');
  if (!state.leases.empty) found.add('lease-bodies');
  if (withRecords.some((server) => server.boots.some((boot) => boot.log.some((f) => f.flags.size > 0))))
    found.add('flags');
  if (withRecords.length > 1) found.add('two-servers');
  if (state.collector.requests + state.namespaces.requests > 0) found.add('controller-requests');
  for (const capability of documentCapabilities(context)) found.add(capability);
  return found;
}
