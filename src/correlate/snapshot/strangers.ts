/** Servers that others dial or are asked by although none of their records are here. */
import type { State } from '../cluster-correlator.js';
import { isLoopbackAddress } from '../identity/own-client.js';
import type { Addresses } from './addresses.js';
import { ownerlessArrivals } from './ownerless.js';
import { peerServers } from './peer-servers.js';
import { hostOf } from './server-view.js';
import type { Servers } from './servers.js';

/** Clusters in which servers dial an address that is no known server's, or are asked from one that can be none's of them. */
export function clustersWithStrangers(state: State, servers: Servers, addresses: Addresses): ReadonlySet<string> {
  const dialled = [...dialledStrangers(state, servers, addresses)].map(({ cluster }) => cluster);
  return new Set([...dialled, ...arrived(state, servers, addresses)]);
}

/**
 * Whether the records would show a server of which there are no others: by a list of leases, or by a process log, since
 * every server calls all its peers. Not by who is seen to ask: a server without a peer proxy, or with a broken one, asks nobody.
 */
export function peersAreTold({ leases, passedOn }: State): boolean {
  const [dialled] = passedOn.dialled();
  return leases.listedAt > 0 || dialled !== undefined;
}

/** Clusters in which an address that is no known server's hands on requests: a balancer's, or a server's of which there are no records. */
export function clustersWithForwarders(
  { senders }: State,
  servers: Servers,
  addresses: Addresses,
): ReadonlySet<string> {
  const clusters = [...new Set(servers.all.map(({ cluster }) => cluster))];
  if (senders.overflow > 0) return new Set(clusters);
  const unknown = [...senders.forwarders()].filter((address) => !isLoopbackAddress(address));
  return new Set(clusters.filter((cluster) => unknown.some((ip) => addresses.ownerOf(ip, cluster) === undefined)));
}

/** A server that is known by nothing but the address at which others look for it. */
export interface Stranger {
  readonly cluster: string;
  /** `host:port`. */
  readonly address: string;
}

/** Strangers that cannot be one of the servers known otherwise, since of each of these the address is known; sorted. */
export function certainStrangers(state: State, servers: Servers, addresses: Addresses): Stranger[] {
  const byKey = new Map<string, Stranger>();
  for (const stranger of dialledStrangers(state, servers, addresses)) {
    const known = servers.all.filter(({ cluster }) => cluster === stranger.cluster).map((one) => addresses.of(one));
    const isOther = known.every((hosts) => hosts.length > 0 && !hosts.includes(hostOf(stranger.address)));
    if (isOther) byKey.set(`${stranger.cluster} ${stranger.address}`, stranger);
  }
  return [...byKey.keys()].sort().flatMap((key) => byKey.get(key) ?? []);
}

function* dialledStrangers(state: State, servers: Servers, addresses: Addresses): Generator<Stranger> {
  const peers = peerServers(state, servers, addresses);
  for (const { life, address } of state.passedOn.dialled()) {
    const source = servers.of(life);
    const peer = source === undefined ? undefined : peers.atAddress(address, source);
    if (peer !== undefined && !servers.all.includes(peer)) yield { cluster: peer.cluster, address };
  }
}

/** Nobody asks itself, and who has an address comes from there: what is none of theirs is another one's. */
function* arrived(state: State, servers: Servers, addresses: Addresses): Generator<string> {
  for (const { cluster, seenBy } of ownerlessArrivals(state, servers, addresses)) {
    const free = servers.all.filter((server) => server.cluster === cluster && server.outgoing.size === 0);
    if (free.every((server) => seenBy.has(server))) yield cluster;
  }
}
