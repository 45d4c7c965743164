/** Discovery fetches from addresses that belong to no server, as far as is known. */
import type { State } from '../cluster-correlator.js';
import { isLoopbackAddress } from '../identity/own-client.js';
import type { TimeHistogram } from '../time-histogram.js';
import type { Addresses } from './addresses.js';
import type { ServerView } from './server-view.js';
import type { Servers } from './servers.js';

/** Those from one address: any server's of the cluster, but of none that sees them come in. */
export interface Ownerless {
  readonly cluster: string;
  readonly seenBy: Set<ServerView>;
  readonly arrivals: { readonly destination: ServerView; readonly ok: TimeHistogram }[];
}

export function ownerlessArrivals(state: State, servers: Servers, addresses: Addresses): Ownerless[] {
  const byAddress = new Map<string, Ownerless>();
  for (const { destination: life, from, ok } of state.fetches.all()) {
    const destination = servers.of(life);
    if (destination === undefined || ok.total === 0 || isLoopbackAddress(from)) continue;
    if (addresses.ownerOf(from, destination.cluster) !== undefined) continue;
    const key = `${destination.cluster} ${from}`;
    const entry = byAddress.get(key) ?? { cluster: destination.cluster, seenBy: new Set(), arrivals: [] };
    byAddress.set(key, entry);
    entry.seenBy.add(destination);
    entry.arrivals.push({ destination, ok });
  }
  return [...byAddress.values()];
}
