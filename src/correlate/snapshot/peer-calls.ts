/** Calls of servers to each other, put together by source and destination from the logs of both. */
import type { State } from '../cluster-correlator.js';
import { Attempts } from '../peers/attempts.js';
import type { Fetches } from '../peers/fetches.js';
import type { Addresses } from './addresses.js';
import type { PeerServers } from './peer-servers.js';
import type { ServerView } from './server-view.js';
import type { Servers } from './servers.js';

export interface Gathered {
  /** As the source's log tells, and as the destination's audit log tells. */
  readonly called: Attempts;
  readonly arrived: Attempts;
  readonly addresses: Set<string>;
}

export type Matrix = Map<ServerView, Map<ServerView, Gathered>>;

export function gather(state: State, servers: Servers, addresses: Addresses, peers: PeerServers): Matrix {
  const matrix: Matrix = new Map();
  const lives = new Map(state.writers.lives.map((life) => [life.id, life]));
  for (const [key, attempts] of state.calls.byAddress.entries()) {
    const [lifeId, address] = splitKey(key);
    const life = lives.get(lifeId);
    const source = life === undefined ? undefined : servers.of(life);
    const destination = source === undefined ? undefined : peers.atAddress(address, source);
    if (source === undefined || destination === undefined || source === destination) continue;
    const cell = cellOf(matrix, source, destination);
    cell.called.merge(attempts);
    cell.addresses.add(address);
  }
  for (const [key, attempts] of state.calls.byIdentity.entries()) {
    const [lifeId, identity] = splitKey(key);
    const life = lives.get(lifeId);
    const source = life === undefined ? undefined : servers.of(life);
    const destination = servers.all.find(
      (server) => server.identity === identity && server.cluster === source?.cluster,
    );
    if (source !== undefined && destination !== undefined) cellOf(matrix, source, destination).called.merge(attempts);
  }
  for (const arrivals of state.fetches.all()) {
    const destination = servers.of(arrivals.destination);
    if (destination === undefined) continue;
    for (const { source, fetches } of addresses.sendersOf(arrivals, destination.cluster)) {
      if (source !== destination) arrive(cellOf(matrix, source, destination).arrived, fetches);
    }
  }
  return matrix;
}

function arrive(arrived: Attempts, fetches: Fetches): void {
  arrived.ok.merge(fetches.ok);
  arrived.okEvidence.merge(fetches.okEvidence);
  if (fetches.forbidden.total > 0) {
    const failures = arrived.fail('forbidden');
    failures.times.merge(fetches.forbidden);
    failures.evidence.merge(fetches.forbiddenEvidence);
    failures.error ||= 'the destination answered 403 Forbidden';
  }
  if (fetches.rejected.total === 0) return;
  const failures = arrived.fail('unauthorized');
  failures.times.merge(fetches.rejected);
  failures.at.merge(fetches.rejectedAt);
  failures.evidence.merge(fetches.rejectedEvidence);
  failures.error ||= 'the destination answered 401 Unauthorized';
}

function splitKey(key: string): [number, string] {
  const blank = key.indexOf(' ');
  return [Number(key.slice(0, blank)), key.slice(blank + 1)];
}

function cellOf(matrix: Matrix, source: ServerView, destination: ServerView): Gathered {
  const row = matrix.get(source) ?? new Map<ServerView, Gathered>();
  matrix.set(source, row);
  const cell = row.get(destination) ?? {
    called: new Attempts(),
    arrived: new Attempts(),
    addresses: new Set<string>(),
  };
  row.set(destination, cell);
  return cell;
}
