/** How servers are set up: peer proxies that are not there, addresses and flags that cannot be right, refused starts. */
import type { Observation } from '../../model/observations/index.js';
import type { EvidenceSet } from '../evidence.js';
import { isLoopbackAddress } from '../peers/fetches.js';
import { type Context, edgeNames, facts } from './context.js';
import { hostOf, peerAddressOf, type ServerView } from './server-view.js';

export function settingObservations(context: Context): Observation[] {
  return [
    ...servers(context),
    ...inactiveServers(context),
    ...inactiveClusters(context),
    ...addresses(context),
    ...selfDials(context),
    ...advertiseFlags(context),
    ...refusals(context),
    ...churn(context),
  ];
}

function servers(context: Context): Observation[] {
  return context.servers.all.map((server) => ({
    type: 'server' as const,
    ...facts({
      cluster: server.cluster,
      server: server.name,
      from: server.boots[0]?.from ?? 0,
      to: server.boots.at(-1)?.to ?? 0,
      count: Math.max(1, server.boots.length),
      certainty: 'certain',
      evidence: [],
    }),
    identity: server.identity,
    version: server.boots.at(-1)?.version || null,
    peerProxy: context.proxies.last(server).state,
  }));
}

function inactiveServers(context: Context): Observation[] {
  return context.servers.all.flatMap((server) => {
    const proxy = context.proxies.last(server);
    const boot = server.boots.at(-1);
    if (proxy.state !== 'inactive' || boot === undefined) return [];
    const peers = context.servers.all.filter((s) => s !== server && s.cluster === server.cluster);
    const evidence = boot.log.flatMap((f) => f.flagEvidence.get('peer-ca-file') ?? []);
    return {
      type: 'peer-proxy-state' as const,
      ...facts({
        cluster: server.cluster,
        server: server.name,
        from: boot.from,
        to: boot.to,
        count: 1,
        certainty: proxy.certain ? 'certain' : 'likely',
        edges: edgeNames(
          peers.filter((s) => s.boots.length > 0).map((destination) => ({ source: server, destination })),
        ),
        evidence: [...evidence, ...server.leases.slice(-1).map((lease) => lease.evidence)],
      }),
      state: 'inactive' as const,
      reason: proxy.reason,
      peersActive: peers.some((s) => context.proxies.last(s).state === 'active'),
    };
  });
}

/** Nobody has the proxy: worth a word only where servers differ in what they are or serve. */
function inactiveClusters(context: Context): Observation[] {
  const clusters = new Set(context.servers.all.map((server) => server.cluster));
  return [...clusters].flatMap((cluster) => {
    const all = context.servers.all.filter((server) => server.cluster === cluster && server.boots.length > 0);
    const inactive = all.filter((server) => context.proxies.last(server).state === 'inactive');
    const boots = all.flatMap((server) => server.boots);
    if (inactive.length < 2 || boots.some((boot) => context.proxies.of(boot).state === 'active')) return [];
    const versions = new Set(boots.map((boot) => boot.version).filter((version) => version !== ''));
    const resources = differing(context, all);
    return {
      type: 'cluster-proxy' as const,
      ...facts({
        cluster,
        server: null,
        from: Math.min(...boots.map((boot) => boot.from)),
        to: Math.max(...boots.map((boot) => boot.to)),
        count: inactive.length,
        certainty: inactive.some((server) => context.proxies.last(server).certain) ? 'certain' : 'likely',
        evidence: all.flatMap((server) => server.leases.slice(-1).map((lease) => lease.evidence)),
      }),
      servers: all.map((server) => server.name),
      versionsDiffer: versions.size > 1,
      resourcesDiffer: resources.length > 0,
      resources: resources.slice(0, 20),
    };
  });
}

/** Resources that one server answered and another said 404 for, by requests, documents or logs; not by the table alone. */
function differing(context: Context, all: readonly ServerView[]): string[] {
  return [...context.serving.resources()]
    .filter((resource) => {
      const judged = all.flatMap((server) => server.boots.slice(-1).map((boot) => context.serving.of(boot, resource)));
      const refused = judged.some((s) => s.serves === false && s.basis !== 'version-table');
      return refused && judged.some((s) => s.serves === true);
    })
    .sort();
}

function addresses(context: Context): Observation[] {
  const byAddress = new Map<string, ServerView[]>();
  const observations: Observation[] = [];
  for (const server of context.servers.all) {
    const address = peerAddressOf(server);
    if (address === null || address === '') continue;
    const host = hostOf(address);
    if (isLoopbackAddress(host)) observations.push(addressProblem('loopback', address, [server]));
    else if (host === '0.0.0.0' || host === '::') observations.push(addressProblem('unspecified', address, [server]));
    else
      byAddress.set(`${server.cluster} ${address}`, [...(byAddress.get(`${server.cluster} ${address}`) ?? []), server]);
  }
  for (const [key, sharers] of byAddress) {
    const live = sharers.filter((server) => server.boots.length === 0 || overlapsAny(server, sharers));
    if (live.length > 1) observations.push(addressProblem('shared', key.slice(key.indexOf(' ') + 1), live));
  }
  return observations;
}

/** A server that was replaced by another on the same address never ran beside it. */
function overlapsAny(server: ServerView, others: readonly ServerView[]): boolean {
  return others.some(
    (other) =>
      other !== server &&
      (other.boots.length === 0 || other.boots.some((b) => server.boots.some((a) => a.from < b.to && b.from < a.to))),
  );
}

function addressProblem(
  problem: 'loopback' | 'unspecified' | 'shared',
  address: string,
  about: readonly ServerView[],
): Observation {
  const leases = about.flatMap((server) => server.leases.filter((lease) => lease.peerAddress === address));
  const [first] = about;
  const spans = about.flatMap((server) => server.boots);
  return {
    type: 'peer-address',
    ...facts({
      cluster: first?.cluster ?? '',
      server: about.length === 1 ? (first?.name ?? null) : null,
      from: Math.min(...spans.map((boot) => boot.markedFrom)),
      to: Math.max(...spans.map((boot) => boot.markedTo)),
      count: about.length,
      certainty: 'certain',
      evidence: leases.map((lease) => lease.evidence),
    }),
    problem,
    address,
    servers: about.map((server) => server.name),
  };
}

/** Peer discovery that comes over loopback: the server dials itself, because a peer advertises a loopback address. */
function selfDials(context: Context): Observation[] {
  if (context.servers.all.some((server) => isLoopbackAddress(hostOf(peerAddressOf(server) ?? '')))) return [];
  const evidence: EvidenceSet[] = [];
  let [from, to, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  let cluster = '';
  for (const fetches of context.state.fetches.all()) {
    const server = context.servers.of(fetches.destination);
    if (server === undefined || !isLoopbackAddress(fetches.from) || fetches.ok.total === 0) continue;
    cluster = server.cluster;
    evidence.push(fetches.okEvidence);
    [from, to, count] = [Math.min(from, fetches.ok.first), Math.max(to, fetches.ok.last), count + fetches.ok.total];
  }
  if (count === 0) return [];
  // Whoever advertises loopback is reached by nobody: each peer dials itself in its stead.
  const unreached = context.servers.all.filter(
    (server) => server.cluster === cluster && server.hasAudit && !isReached(context, server),
  );
  const about = unreached.length === 0 ? [null] : unreached;
  return about.map((server) => ({
    type: 'peer-address' as const,
    ...facts({ cluster, server: server?.name ?? null, from, to, count, certainty: 'likely', evidence }),
    problem: 'loopback' as const,
    address: 'a loopback address',
    servers: server === null ? [] : [server.name],
  }));
}

function isReached(context: Context, server: ServerView): boolean {
  return [...context.state.fetches.all()].some(
    (fetches) =>
      context.servers.of(fetches.destination) === server && !isLoopbackAddress(fetches.from) && fetches.ok.total > 0,
  );
}

function advertiseFlags(context: Context): Observation[] {
  return context.servers.all.flatMap((server) =>
    server.boots.slice(-1).flatMap((boot) => {
      const flags = boot.log.find((f) => f.flags.has('peer-advertise-ip') || f.flags.has('peer-advertise-port'));
      const ip = flags?.flags.get('peer-advertise-ip') ?? '';
      const port = flags?.flags.get('peer-advertise-port') ?? '';
      if (flags === undefined || (ip === '' && port === '')) return [];
      const advertised = peerAddressOf(server) ?? '';
      const problem = flagProblem(ip, port, advertised);
      if (problem === undefined) return [];
      const evidence = ['peer-advertise-ip', 'peer-advertise-port'].flatMap(
        (name) => flags.flagEvidence.get(name) ?? [],
      );
      return {
        type: 'advertise-flags' as const,
        ...facts({
          cluster: server.cluster,
          server: server.name,
          from: boot.from,
          to: boot.to,
          count: 1,
          certainty: 'certain',
          evidence: [...evidence, ...server.leases.slice(-1).map((lease) => lease.evidence)],
        }),
        problem,
        ip,
        port,
        advertised,
      };
    }),
  );
}

function flagProblem(ip: string, port: string, advertised: string): 'half-set' | 'invalid' | 'ignored' | undefined {
  if (ip === '' || port === '') return 'half-set';
  if (!/^\d+$/.test(port) || Number(port) < 1 || Number(port) > 65_535) return 'invalid';
  const wanted = ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
  return advertised !== '' && advertised !== wanted ? 'ignored' : undefined;
}

function refusals(context: Context): Observation[] {
  return context.state.logFacts.refusals.flatMap((refusal) => {
    const server = context.servers.of(refusal.life);
    if (server === undefined) return [];
    return {
      type: 'startup-refused' as const,
      ...facts({
        cluster: server.cluster,
        server: server.name,
        from: refusal.timeUs,
        to: refusal.timeUs,
        count: 1,
        certainty: 'certain',
        evidence: [refusal.evidence],
      }),
      error: refusal.error,
      flag: refusal.flag,
    };
  });
}

function churn(context: Context): Observation[] {
  return [...context.state.apiservices.all()].flatMap((entry) => {
    const deleters = [...entry.deletes.keys()].flatMap((life) => context.serving.bootOf(life) ?? []);
    const creators = [...entry.creates.keys()].flatMap((life) => context.serving.bootOf(life) ?? []);
    const [first] = deleters;
    if (first === undefined) return [];
    const sum = (counts: ReadonlyMap<unknown, number>) => [...counts.values()].reduce((a, b) => a + b, 0);
    return {
      type: 'apiservice-churn' as const,
      ...facts({
        cluster: first.server.cluster,
        server: null,
        from: entry.times.first,
        to: entry.times.last,
        count: entry.times.total,
        certainty: 'certain',
        evidence: [entry.evidence],
      }),
      name: entry.name.slice(0, 200),
      creates: sum(entry.creates),
      deletes: sum(entry.deletes),
      creators: [...new Set(creators.map((boot) => boot.server.name))].sort(),
      deleters: [...new Set(deleters.map((boot) => boot.server.name))].sort(),
      versions: [
        ...new Set([...creators, ...deleters].map((boot) => boot.version).filter((version) => version !== '')),
      ].sort(),
    };
  });
}
