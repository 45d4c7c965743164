/** Which server stands behind an address that a source dials. */
import { SECOND } from '../../model/time.js';
import type { State } from '../cluster-correlator.js';
import { isLoopbackAddress } from '../identity/own-client.js';
import type { Addresses } from './addresses.js';
import { hostOf, ranTogether, type ServerView } from './server-view.js';
import type { Servers } from './servers.js';

/** From a server's first line to the lease that tells its peers of it. */
const UNTIL_KNOWN = SECOND;

export interface PeerServers {
  /**
   * undefined where no address is known ('', an error that names none), for loopback, and for an address that several
   * servers advertise; a server that is known by nothing else is named by the address. Of servers that had an address one
   * after the other, the time of the call (microseconds) tells which it was.
   */
  atAddress(address: string, source: ServerView, timeUs?: number): ServerView | undefined;
}

/** The identity that an error line names for the address, else the one lease that tells it, else the host's owner. */
export function peerServers(state: State, servers: Servers, addresses: Addresses): PeerServers {
  const strangers = new Map<string, ServerView>();
  return {
    atAddress(address, source, timeUs) {
      if (address === '') return undefined;
      const host = hostOf(address);
      // Whoever advertises it, the source that dials loopback reaches itself.
      if (isLoopbackAddress(host)) return undefined;
      const peers = servers.all.filter((server) => server.cluster === source.cluster && server !== source);
      const advertisers = peers.filter((server) => server.leases.some((lease) => lease.peerAddress === address));
      if (advertisers.length > 1) return timeUs === undefined ? undefined : holderAt(advertisers, timeUs);
      if (advertisers[0] !== undefined) return advertisers[0];
      const identity = state.calls.identities.get(address);
      const named = identity === undefined ? undefined : peers.find((server) => server.identity === identity);
      if (named !== undefined) return named;
      const owner = addresses.ownerOf(host, source.cluster);
      if (owner === source) return undefined;
      return owner ?? strangerAt(address, source.cluster, strangers);
    },
  };
}

/** The last one that had begun long enough before to be known to its peers; undefined where two of them ran side by side. */
function holderAt(advertisers: readonly ServerView[], timeUs: number): ServerView | undefined {
  if (advertisers.some((one) => advertisers.some((other) => one !== other && ranTogether(one, other))))
    return undefined;
  return advertisers
    .flatMap((server) => server.boots[0] ?? [])
    .filter(({ from }) => from + UNTIL_KNOWN <= timeUs)
    .sort((a, b) => b.from - a.from)[0]?.server;
}

function strangerAt(address: string, cluster: string, strangers: Map<string, ServerView>): ServerView {
  const key = `${cluster} ${address}`;
  const known = strangers.get(key);
  if (known !== undefined) return known;
  const stranger: ServerView = {
    name: address,
    cluster,
    identity: null,
    hostname: null,
    knownBy: "a peer's log only",
    writers: [],
    boots: [],
    leases: [],
    documents: [],
    hasAudit: false,
    hasLog: false,
    outgoing: new Set(),
  };
  strangers.set(key, stranger);
  return stranger;
}
