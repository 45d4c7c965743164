/** Whether a boot has a peer proxy, and how that is known. */
import { SECOND } from '../../model/time.js';
import type { State } from '../cluster-correlator.js';
import { isLoopbackAddress } from '../identity/own-client.js';
import { minorOf } from '../serving/version-table.js';
import type { Addresses } from './addresses.js';
import type { ProxiedPair } from './pairs-view.js';
import { recordsArrivals } from './recording.js';
import { type Boot, peerAddressOf, type ServerView } from './server-view.js';
import type { Servers } from './servers.js';

/** A peer proxy reads its own discovery within moments of the start. */
const START = 20 * SECOND;
const GATE = 'UnknownVersionInteroperabilityProxy';
/** The gate is on by default from this minor on. */
const DEFAULT_ON = 36;

export interface ProxyState {
  readonly state: 'active' | 'inactive' | 'unknown';
  readonly certain: boolean;
  readonly reason: 'no-peer-ca' | 'gate-off' | 'unknown';
}

export class ProxyStates {
  readonly #byBoot = new Map<Boot, ProxyState>();

  constructor(state: State, servers: Servers, addresses: Addresses, pairs: readonly ProxiedPair[]) {
    const fetchers = fetchersOf(state, servers, addresses);
    const sources = new Set(
      pairs.map((pair) => servers.of(pair.total.source)?.boots.find((b) => b.lives.includes(pair.total.source))),
    );
    const fetched = fetchedBoots(state, servers);
    const apiRequestsRecorded =
      servers.all.some((server) => server.boots.some((boot) => boot.localDiscoveryAt !== 0)) || fetchers.size > 0;
    const anyNonResource = servers.all.some((s) => s.writers.some((w) => w.apiRequests > 0));
    for (const server of servers.all) {
      for (const boot of server.boots) {
        const active =
          sources.has(boot) ||
          fetchers.has(boot) ||
          boot.localDiscoveryAt !== 0 ||
          boot.log.some((f) => f.peerProxyAt !== 0);
        const silence = inactive(boot, apiRequestsRecorded || anyNonResource, fetched);
        const value = active ? ACTIVE : servers.partial && !silence.certain ? UNKNOWN : silence;
        this.#byBoot.set(boot, value);
      }
    }
  }

  of(boot: Boot): ProxyState {
    return this.#byBoot.get(boot) ?? UNKNOWN;
  }

  /** The state at the end of the records. */
  last(server: ServerView): ProxyState {
    const boot = server.boots.at(-1);
    return boot === undefined ? UNKNOWN : this.of(boot);
  }

  any(wanted: ProxyState['state']): boolean {
    return [...this.#byBoot.values()].some((value) => value.state === wanted);
  }
}

const ACTIVE: ProxyState = { state: 'active', certain: true, reason: 'unknown' };
const UNKNOWN: ProxyState = { state: 'unknown', certain: false, reason: 'unknown' };

/** Boots whose server's address was seen to fetch discovery from a peer while they ran. */
function fetchersOf(state: State, servers: Servers, addresses: Addresses): Set<Boot> {
  const found = new Set<Boot>();
  for (const arrivals of state.fetches.all()) {
    const destination = servers.of(arrivals.destination);
    const senders = destination === undefined ? [] : addresses.sendersOf(arrivals, destination.cluster);
    for (const { source, fetches } of senders) {
      if (source === destination) continue;
      for (const boot of source.boots) {
        if ([fetches.ok, fetches.rejected, fetches.replaced].some((times) => times.between(boot.from, boot.to) > 0))
          found.add(boot);
      }
    }
  }
  return found;
}

/** No mark was seen: absence counts only where the mark would have been recorded. */
function inactive(boot: Boot, apiRequestsRecorded: boolean, fetched: ReadonlySet<Boot>): ProxyState {
  const flag = boot.log.map((facts) => facts.flags.get('peer-ca-file')).find((value) => value !== undefined);
  if (flag === '') return { state: 'inactive', certain: true, reason: gateIsOff(boot) ? 'gate-off' : 'no-peer-ca' };
  const logged = boot.log.some((facts) => facts.versionAt !== 0 && boot.to - facts.versionAt > START);
  if (logged) return { state: 'inactive', certain: true, reason: reasonOf(boot, fetched) };
  const started = boot.startSeenAt !== 0 && boot.loopbackNonResourceAt !== 0 && boot.to - boot.startSeenAt > START;
  if (started && apiRequestsRecorded) return { state: 'inactive', certain: false, reason: reasonOf(boot, fetched) };
  return UNKNOWN;
}

/** Without the gate a server writes no address, so that no peer can fetch from it; with it, peers fetch whatever it does itself. */
function reasonOf(boot: Boot, fetched: ReadonlySet<Boot>): ProxyState['reason'] {
  if (gateIsOff(boot)) return 'gate-off';
  const address = peerAddressOf(boot.server);
  if (address === '') return 'gate-off';
  if (address !== null || fetched.has(boot)) return 'no-peer-ca';
  const peersFetch = [...fetched].some(
    (other) => other.server !== boot.server && other.server.cluster === boot.server.cluster,
  );
  return peersFetch && recordsArrivals(boot.server) ? 'gate-off' : 'unknown';
}

/** Boots to which a peer's discovery came. */
function fetchedBoots(state: State, servers: Servers): Set<Boot> {
  const found = new Set<Boot>();
  for (const { destination, ok, from } of state.fetches.all()) {
    const boot = servers.of(destination)?.boots.find((b) => b.lives.includes(destination));
    if (boot !== undefined && ok.total > 0 && !isLoopbackAddress(from)) found.add(boot);
  }
  return found;
}

function gateIsOff(boot: Boot): boolean {
  const gates = boot.log.map((facts) => facts.flags.get('feature-gates')).find((value) => value !== undefined);
  if (gates === undefined) return false;
  const set = new RegExp(`${GATE}=(true|false)`).exec(gates)?.[1];
  if (set !== undefined) return set === 'false';
  const minor = minorOf(boot.version);
  return minor !== undefined && minor < DEFAULT_ON;
}
