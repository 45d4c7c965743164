/**
 * Which address belongs to which server. What a server advertises can be wrong; what its peers see it come from is
 * not: no server fetches its own discovery, so an address that all servers but one see belongs to that one.
 */
import { MINUTE, SECOND } from '../../model/time.js';
import type { State } from '../cluster-correlator.js';
import { isLoopbackAddress } from '../identity/own-client.js';
import type { Fetches } from '../peers/fetches.js';
import type { PairTotal } from '../requests/pair-totals.js';
import { type Boot, hostOf, ranTogether, type ServerView } from './server-view.js';
import type { Servers } from './servers.js';

/** So many pairs from an address that nothing contradicts make it the source's. */
const ENOUGH_PAIRS = 2;
/** So many count more than what servers advertise, and than who seems to be asked from it. */
const SURE_PAIRS = 5;
/** A server that has a peer proxy reads its own discovery within this time of its start. */
const OWN_DISCOVERY = MINUTE;
/** A server that starts fetches the discovery of its peers within this time. */
const FIRST_FETCH = 5 * SECOND;

export interface Addresses {
  /** The server that connects from an address, of several that had it one after the other the last; undefined when that cannot be told. */
  ownerOf(ip: string, cluster: string): ServerView | undefined;
  /** Whether the server connects from the address, or did before another took its place. */
  owns(server: ServerView, ip: string): boolean;
  /** Who sent fetches that reached a server of the cluster: where servers had the address one after the other, what came while each ran. */
  sendersOf(fetches: Fetches, cluster: string): readonly Sender[];
  /** Every address known of a server: where it comes from, else what it advertises, else where its peers look for it. */
  of(server: ServerView): string[];
}

export interface Sender {
  readonly source: ServerView;
  readonly fetches: Fetches;
}

export function resolveAddresses(state: State, servers: Servers, pairs: Iterable<PairTotal>): Addresses {
  const owners: Owners = new Map();
  const seenBy = sightings(state, servers);
  // What several servers advertise is a balancer's address: whoever comes from there is not to be told.
  for (const key of seenBy.keys()) if (isShared(key, servers)) seenBy.delete(key);
  const assign = (key: string, server: ServerView) => {
    const before = owners.get(key) ?? [];
    owners.set(key, before.includes(server) ? before : [...before, server].sort(byEnd));
    server.outgoing.add(key.slice(key.indexOf(' ') + 1));
  };
  const votes = votesOf(servers, pairs);
  assignByManyPairs(votes, seenBy, assign);
  assignAdvertised(seenBy, servers, owners, assign);
  assignByElimination(seenBy, servers, owners, assign);
  assignByStart(state, servers, seenBy, owners, assign);
  assignByElimination(seenBy, servers, owners, assign);
  assignByPairs(votes, seenBy, owners, assign);
  assignToFormer(state, servers, seenBy, owners, assign);
  for (const server of servers.all) {
    for (const host of advertised(server)) {
      const key = `${server.cluster} ${host}`;
      if (!owners.has(key) && onlyAdvertiser(host, server, servers)) owners.set(key, [server]);
    }
  }
  return {
    ownerOf: (ip, cluster) => owners.get(`${cluster} ${ip}`)?.at(-1),
    owns: (server, ip) => owners.get(`${server.cluster} ${ip}`)?.includes(server) === true,
    sendersOf: (fetches, cluster) => {
      const all = owners.get(`${cluster} ${fetches.from}`) ?? [];
      return all.map((source) => ({ source, fetches: all.length < 2 ? fetches : fetches.during(source.boots) }));
    },
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

function isSentDuring({ ok, rejected, replaced, refused }: Fetches, { from, to }: Boot): boolean {
  return [ok, rejected, replaced, refused].some((times) => times.between(from, to) > 0);
}

/** By `cluster ip`: a server, or such as had the address one after the other, the last at the end. */
type Owners = Map<string, readonly ServerView[]>;

function byEnd(a: ServerView, b: ServerView): number {
  return (a.boots.at(-1)?.to ?? 0) - (b.boots.at(-1)?.to ?? 0);
}

type Assign = (key: string, server: ServerView) => void;

function assignAdvertised(
  seenBy: ReadonlyMap<string, Set<ServerView>>,
  servers: Servers,
  owners: Owners,
  assign: Assign,
): void {
  for (const [key, seers] of seenBy) {
    if (owners.has(key)) continue;
    const [cluster, ip] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)];
    const claimants = servers.all.filter((s) => s.cluster === cluster && !seers.has(s) && advertised(s).has(ip));
    if (takeTurns(claimants)) for (const server of claimants) assign(key, server);
  }
}

function assignByElimination(
  seenBy: ReadonlyMap<string, Set<ServerView>>,
  servers: Servers,
  owners: Owners,
  assign: Assign,
): void {
  const fetching = servers.all.filter((server) => mayFetch(server, servers));
  for (let changed = true; changed; ) {
    changed = false;
    for (const key of [...seenBy.keys()].sort()) {
      if (owners.has(key)) continue;
      const free = freeFor(key, fetching, seenBy);
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
  owners: Owners,
  assign: Assign,
): void {
  const arrivals = new Map<string, number>();
  for (const fetches of state.fetches.all()) {
    const key = `${servers.of(fetches.destination)?.cluster} ${fetches.from}`;
    const first = Math.min(fetches.ok.first, fetches.rejected.first, arrivals.get(key) ?? Number.POSITIVE_INFINITY);
    if (seenBy.has(key) && !owners.has(key)) arrivals.set(key, first);
  }
  for (const [key, first] of [...arrivals].sort((a, b) => a[1] - b[1])) {
    const justStarted = freeFor(key, servers.all, seenBy).filter(({ boots }) =>
      boots.some(({ startSeenAt }) => startSeenAt !== 0 && startSeenAt <= first && first <= startSeenAt + FIRST_FETCH),
    );
    const [only] = justStarted;
    if (justStarted.length === 1 && only !== undefined) assign(key, only);
  }
}

/** `cluster ip` → how many requests each server passed on from there. */
type Votes = ReadonlyMap<string, ReadonlyMap<ServerView, number>>;

function votesOf(servers: Servers, pairs: Iterable<PairTotal>): Votes {
  const votes = new Map<string, Map<ServerView, number>>();
  for (const total of pairs) {
    const source = servers.of(total.source);
    const destination = servers.of(total.destination);
    if (source === undefined || destination === undefined || source === destination) continue;
    const key = `${source.cluster} ${total.via}`;
    const tally = votes.get(key) ?? new Map<ServerView, number>();
    tally.set(source, (tally.get(source) ?? 0) + total.count);
    votes.set(key, tally);
  }
  return votes;
}

/** The requests that a server passed on are in its own log. Clients repeat Audit-IDs too, but do not ask for discovery as peers do. */
function assignByManyPairs(votes: Votes, seenBy: ReadonlyMap<string, unknown>, assign: Assign): void {
  for (const [key, tally] of votes) {
    if (!seenBy.has(key)) continue;
    const sources = [...tally.keys()];
    if (takeTurns(sources) && Math.min(...tally.values()) >= SURE_PAIRS)
      for (const server of sources) assign(key, server);
  }
}

function assignByPairs(
  votes: Votes,
  seenBy: ReadonlyMap<string, Set<ServerView>>,
  owners: Owners,
  assign: Assign,
): void {
  for (const key of [...votes.keys()].sort()) {
    if (owners.has(key)) continue;
    const ranked = [...(votes.get(key) ?? [])];
    const [first] = ranked;
    if (ranked.length !== 1 || first === undefined) continue;
    const [server, count] = first;
    const plausible = server.outgoing.size === 0 && !seenBy.get(key)?.has(server);
    if (plausible && (seenBy.has(key) || count >= ENOUGH_PAIRS)) assign(key, server);
  }
}

/** What came before the owner ran is from a server whose place it took. */
function assignToFormer(
  state: State,
  servers: Servers,
  seenBy: ReadonlyMap<string, Set<ServerView>>,
  owners: Owners,
  assign: Assign,
): void {
  const former = new Map<string, Set<ServerView>>();
  for (const fetches of state.fetches.all()) {
    const key = `${servers.of(fetches.destination)?.cluster} ${fetches.from}`;
    const known = owners.get(key);
    if (known === undefined || !seenBy.has(key)) continue;
    const free = freeFor(key, servers.all, seenBy).filter(
      (server) => takeTurns([...known, server]) && server.boots.some((boot) => isSentDuring(fetches, boot)),
    );
    for (const server of free) former.set(key, (former.get(key) ?? new Set()).add(server));
  }
  for (const [key, [only, ...more]] of former) if (only !== undefined && more.length === 0) assign(key, only);
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
  const claimants = servers.all.filter((server) => server.cluster === cluster && advertised(server).has(ip));
  return claimants.length > 1 && !takeTurns(claimants);
}

/** Those of the address's cluster that have no address yet and were not asked from this one. */
function freeFor(
  key: string,
  among: readonly ServerView[],
  seenBy: ReadonlyMap<string, ReadonlySet<ServerView>>,
): ServerView[] {
  const cluster = key.slice(0, key.indexOf(' '));
  return among.filter((s) => s.cluster === cluster && s.outgoing.size === 0 && !seenBy.get(key)?.has(s));
}

/** One at least, and no two of them at the same time. */
function takeTurns(list: readonly ServerView[]): boolean {
  return list.length > 0 && list.every((one, at) => list.every((other, i) => i <= at || !ranTogether(one, other)));
}

/** False where a start is recorded and no reading of the own discovery, as others' starts show it: it has no peer proxy. */
function mayFetch(server: ServerView, { all }: Servers): boolean {
  const isSilent = (boot: Boot) =>
    boot.localDiscoveryAt === 0 &&
    boot.startSeenAt !== 0 &&
    boot.loopbackNonResourceAt !== 0 &&
    boot.to - boot.startSeenAt > OWN_DISCOVERY;
  if (server.boots.length === 0 || !server.boots.every(isSilent)) return true;
  return !all.some(
    ({ cluster, boots }) => cluster === server.cluster && boots.some((boot) => boot.localDiscoveryAt > 0),
  );
}

function onlyAdvertiser(host: string, server: ServerView, servers: Servers): boolean {
  return servers.all.every(
    (s) => s === server || s.cluster !== server.cluster || !advertised(s).has(host) || !ranTogether(s, server),
  );
}
