/** Addresses that servers tell their peers and that cannot be right, and the flags that do not lead to them. */
import type { Observation } from '../../model/observations/index.js';
import type { EvidenceSet } from '../evidence.js';
import { isLoopbackAddress } from '../identity/own-client.js';
import { type Context, facts } from './context.js';
import { hostOf, peerAddressOf, ranTogether, type ServerView } from './server-view.js';
import type { Servers } from './servers.js';

export function advertisedAddresses(context: Context): Observation[] {
  return [...addresses(context), ...selfDials(context), ...advertiseFlags(context)];
}

function addresses(context: Context): Observation[] {
  const observations: Observation[] = [];
  for (const server of context.servers.all) {
    const address = peerAddressOf(server) ?? '';
    const host = hostOf(address);
    if (isLoopbackAddress(host)) observations.push(addressProblem('loopback', { address, servers: [server] }));
    else if (host === '0.0.0.0' || host === '::')
      observations.push(addressProblem('unspecified', { address, servers: [server] }));
  }
  return [...observations, ...sharedAddresses(context.servers).map((shared) => addressProblem('shared', shared))];
}

/** An address that servers tell their peers. */
interface Told {
  readonly address: string;
  readonly servers: readonly ServerView[];
  /** Of several servers the one that its peers see come from there. */
  readonly owner?: ServerView | undefined;
}

function sharedAddresses({ all }: Servers): Told[] {
  const byAddress = new Map<string, ServerView[]>();
  for (const server of all) {
    const address = peerAddressOf(server);
    if (address === null || address === '') continue;
    const host = hostOf(address);
    if (isLoopbackAddress(host) || host === '0.0.0.0' || host === '::') continue;
    const key = `${server.cluster} ${address}`;
    byAddress.set(key, [...(byAddress.get(key) ?? []), server]);
  }
  return [...byAddress].flatMap(([key, sharers]) => {
    const servers = sharers.filter((server) => sharers.some((other) => other !== server && ranTogether(server, other)));
    if (servers.length < 2) return [];
    const address = key.slice(key.indexOf(' ') + 1);
    const [owner, ...others] = servers.filter((server) => server.outgoing.has(hostOf(address)));
    return [{ address, servers, owner: others.length === 0 ? owner : undefined }];
  });
}

/** Servers that tell their peers another one's address: nobody reaches them, and nobody else is to blame for it. */
export function misdirectedServers(servers: Servers): ReadonlySet<ServerView> {
  const shared = sharedAddresses(servers).filter(({ owner }) => owner !== undefined);
  return new Set(shared.flatMap((told) => told.servers.filter((server) => server !== told.owner)));
}

function addressProblem(
  problem: 'loopback' | 'unspecified' | 'shared',
  { address, servers, owner }: Told,
): Observation {
  const leases = servers.flatMap((server) => server.leases.filter((lease) => lease.peerAddress === address));
  const [first, ...others] = servers.filter((server) => server !== owner);
  const spans = servers.flatMap((server) => server.boots);
  return {
    type: 'peer-address',
    ...facts({
      cluster: first?.cluster ?? '',
      server: others.length === 0 ? (first?.name ?? null) : null,
      from: Math.min(...spans.map((boot) => boot.markedFrom)),
      to: Math.max(...spans.map((boot) => boot.markedTo)),
      count: servers.length,
      certainty: 'certain',
      evidence: leases.map((lease) => lease.evidence),
    }),
    problem,
    address,
    servers: servers.map((server) => server.name),
    owner: owner?.name ?? null,
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
    owner: null,
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
