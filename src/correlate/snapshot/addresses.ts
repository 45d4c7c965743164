/**
 * Which address belongs to which server. What a server advertises can be wrong; what its peers see it come from is
 * not: no server fetches its own discovery, so an address that all servers but one see belongs to that one.
 */
import { SECOND } from '../../model/time.js';
import type { State } from '../cluster-correlator.js';
import { isLoopbackAddress } from '../identity/own-client.js';
import type { PairTotal } from '../requests/pair-totals.js';
import { hostOf, type ServerView } from './server-view.js';
import type { Servers } from './servers.js';

/** So many pairs from an address that nothing contradicts make it the source's. */
const ENOUGH_PAIRS = 2;
/** A server that starts fetches the discovery of its peers within this time. */
const FIRST_FETCH = 5 * SECOND;

export interface Addresses {
  /** The server that connects from an address; undefined when that cannot be told. */
  ownerOf(ip: string, cluster: string): ServerView | undefined;
  /** Every address known of a server: where it comes from, else what it advertises, else where its peers look for it. */
  of(server: ServerView): string[];
}

export function resolveAddresses(state: State, servers: Servers, pairs: Iterable<PairTotal>): Addresses {
  const owners = new Map<string, ServerView>();
  const seenBy = sightings(state, servers);
  // What several servers advertise is a balancer's address: whoever comes from there is not to be told.
  for (const key of seenBy.keys()) if (isShared(key, servers)) seenBy.delete(key);
  const assign = (key: string, server: ServerView) => {
    owners.set(key, server);
    server.outgoing.add(key.slice(key.indexOf(' ') + 1));
  };
  assignAdvertised(seenBy, servers, assign);
  assignByElimination(seenBy, servers, owners, assign);
  assignByStart(state, servers, seenBy, owners, assign);
  assignByElimination(seenBy, servers, owners, assign);
  assignByPairs(servers, pairs, seenBy, owners, assign);
  for (const server of servers.all) {
    for (const host of advertised(server)) {
      const key = `${server.cluster} ${host}`;
      if (!owners.has(key) && onlyAdvertiser(host, server, servers)) owners.set(key, server);
    }
  }
  return {
    ownerOf: (ip, cluster) => owners.get(`${cluster} ${ip}`),
    of: (server) => {
      if (server.outgoing.size > 0) return [...server.outgoing].sort();
      const local = new Set(server.writers.flatMap((writer) => (writer.mixed ? [] : [...writer.localAddresses])));
      if (local.size > 0) return [...local].sort();
      const told = advertised(server);
      const hosts = told.size > 0 ? told : dialled(state, server);
      return [...hosts].filter((host) => onlyAdvertiser(host, server, servers)).sort();
    },
  };
}

/** `cluster ip` → the servers whose audit log shows peer discovery from there. */
function sightings(state: State, servers: Servers): Map<string, Set<ServerView>> {
  const seenBy = new Map<string, Set<ServerView>>();
  for (const fetches of state.fetches.all()) {
    const server = servers.of(fetches.destination);
    if (server === undefined || isLoopbackAddress(fetches.from) || fetches.ok.total + fetches.rejected.total === 0)
      continue;
    const key = `${server.cluster} ${fetches.from}`;
    seenBy.set(key, (seenBy.get(key) ?? new Set()).add(server));
  }
  return seenBy;
}

type Assign = (key: string, server: ServerView) => void;

function assignAdvertised(seenBy: ReadonlyMap<string, Set<ServerView>>, servers: Servers, assign: Assign): void {
  for (const [key, seers] of seenBy) {
    const [cluster, ip] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)];
    const claimants = servers.all.filter((s) => s.cluster === cluster && !seers.has(s) && advertised(s).has(ip));
    const [only] = claimants;
    if (claimants.length === 1 && only !== undefined) assign(key, only);
  }
}

function assignByElimination(
  seenBy: ReadonlyMap<string, Set<ServerView>>,
  servers: Servers,
  owners: ReadonlyMap<string, ServerView>,
  assign: Assign,
): void {
  for (let changed = true; changed; ) {
    changed = false;
    for (const key of [...seenBy.keys()].sort()) {
      if (owners.has(key)) continue;
      const cluster = key.slice(0, key.indexOf(' '));
      const free = servers.all.filter(
        (s) => s.cluster === cluster && s.outgoing.size === 0 && !seenBy.get(key)?.has(s),
      );
      const [only] = free;
      if (free.length === 1 && only !== undefined) {
        assign(key, only);
        changed = true;
      }
    }
  }
}

/** What is still open goes to the server that had just started when the first fetch came from the address. */
function assignByStart(
  state: State,
  servers: Servers,
  seenBy: ReadonlyMap<string, Set<ServerView>>,
  owners: ReadonlyMap<string, ServerView>,
  assign: Assign,
): void {
  const arrivals = new Map<string, number>();
  for (const fetches of state.fetches.all()) {
    const key = `${servers.of(fetches.destination)?.cluster} ${fetches.from}`;
    const first = Math.min(fetches.ok.first, fetches.rejected.first, arrivals.get(key) ?? Number.POSITIVE_INFINITY);
    if (seenBy.has(key) && !owners.has(key)) arrivals.set(key, first);
  }
  for (const [key, first] of [...arrivals].sort((a, b) => a[1] - b[1])) {
    const cluster = key.slice(0, key.indexOf(' '));
    const justStarted = servers.all.filter(
      (s) =>
        s.cluster === cluster &&
        s.outgoing.size === 0 &&
        !seenBy.get(key)?.has(s) &&
        s.boots.some(
          ({ startSeenAt }) => startSeenAt !== 0 && startSeenAt <= first && first <= startSeenAt + FIRST_FETCH,
        ),
    );
    const [only] = justStarted;
    if (justStarted.length === 1 && only !== undefined) assign(key, only);
  }
}

function assignByPairs(
  servers: Servers,
  pairs: Iterable<PairTotal>,
  seenBy: ReadonlyMap<string, Set<ServerView>>,
  owners: ReadonlyMap<string, ServerView>,
  assign: Assign,
): void {
  const votes = new Map<string, Map<ServerView, number>>();
  for (const total of pairs) {
    const source = servers.of(total.source);
    const destination = servers.of(total.destination);
    if (source === undefined || destination === undefined || source === destination) continue;
    const key = `${source.cluster} ${total.via}`;
    if (owners.has(key)) continue;
    const tally = votes.get(key) ?? new Map<ServerView, number>();
    tally.set(source, (tally.get(source) ?? 0) + total.count);
    votes.set(key, tally);
  }
  for (const key of [...votes.keys()].sort()) {
    const ranked = [...(votes.get(key) ?? [])];
    const [first] = ranked;
    if (ranked.length !== 1 || first === undefined) continue;
    const [server, count] = first;
    const plausible = server.outgoing.size === 0 && !seenBy.get(key)?.has(server);
    if (plausible && (seenBy.has(key) || count >= ENOUGH_PAIRS)) assign(key, server);
  }
}

/** Hosts that the server claims: by lease, by flag, or in its log; without those that cannot be reached from outside. */
function advertised(server: ServerView): Set<string> {
  const hosts = new Set<string>();
  for (const lease of server.leases) if (lease.peerAddress !== '') hosts.add(hostOf(lease.peerAddress));
  for (const writer of server.writers) if (!writer.mixed) for (const address of writer.ownAddresses) hosts.add(address);
  for (const host of hosts) if (isLoopbackAddress(host) || host === '0.0.0.0' || host === '::') hosts.delete(host);
  return hosts;
}

/** Hosts that peers dial for the identity of a server, as their errors tell. */
function dialled({ calls }: State, { identity }: ServerView): Set<string> {
  const hosts = [...calls.identities].flatMap(([address, of]) => (of === identity ? [hostOf(address)] : []));
  return new Set(hosts.filter((host) => !isLoopbackAddress(host)));
}

function isShared(key: string, servers: Servers): boolean {
  const [cluster, ip] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)];
  return servers.all.filter((server) => server.cluster === cluster && advertised(server).has(ip)).length > 1;
}

function onlyAdvertiser(host: string, server: ServerView, servers: Servers): boolean {
  return servers.all.every((s) => s === server || s.cluster !== server.cluster || !advertised(s).has(host));
}
