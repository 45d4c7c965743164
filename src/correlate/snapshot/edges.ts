/** The discovery matrix: for each ordered pair of servers what was tried, what came of it, and how it stands at the end. */
import type { PeerCallCause } from '../../model/observations/index.js';
import { SECOND } from '../../model/time.js';
import type { State } from '../cluster-correlator.js';
import { Attempts, Failures } from '../peers/attempts.js';
import { NETWORK_CAUSES, SETTING_CAUSES } from '../peers/error-cause.js';
import type { Addresses } from './addresses.js';
import { type PeerServers, peerServers } from './peer-servers.js';
import type { ProxyStates } from './proxy-state.js';
import type { Rejected } from './rejections.js';
import { type Boot, isUp, type ServerView } from './server-view.js';
import type { Servers } from './servers.js';

/** A peer needs this long after its start until others can know it. */
export const STARTUP = 15 * SECOND;
/** Two servers that ran together for less cannot be expected to know each other. */
const TOGETHER = 20 * SECOND;

export interface EdgeView {
  readonly source: ServerView;
  readonly destination: ServerView;
  readonly attempts: Attempts;
  /** Failures that count: not of a peer that was down, starting or stopping. */
  readonly failures: ReadonlyMap<PeerCallCause, Failures>;
  readonly addresses: ReadonlySet<string>;
  readonly state: 'ok' | 'failing' | 'missing' | 'unknown';
  readonly cause: PeerCallCause | null;
  readonly rejected: Rejected;
  readonly fetches: number;
  readonly failed: number;
  readonly lastAt: number | null;
  /** The last stretch in which both ran; null when they never did. */
  readonly together: { readonly from: number; readonly to: number } | null;
}

export function buildEdges(state: State, servers: Servers, addresses: Addresses, proxies: ProxyStates): EdgeView[] {
  const peers = peerServers(state, servers, addresses);
  const gathered = gather(state, servers, addresses, peers);
  const edges: EdgeView[] = [];
  for (const source of servers.all) {
    for (const destination of servers.all) {
      if (source === destination || source.cluster !== destination.cluster) continue;
      if (source.boots.length === 0 && destination.boots.length === 0) continue;
      edges.push(edge(source, destination, gathered.get(source)?.get(destination), proxies, servers.partial));
    }
    for (const [destination, cell] of gathered.get(source) ?? []) {
      if (!servers.all.includes(destination)) edges.push(edge(source, destination, cell, proxies, servers.partial));
    }
  }
  return edges;
}

interface Gathered {
  /** As the source's log tells, and as the destination's audit log tells. */
  readonly called: Attempts;
  readonly arrived: Attempts;
  readonly addresses: Set<string>;
}

type Matrix = Map<ServerView, Map<ServerView, Gathered>>;

function gather(state: State, servers: Servers, addresses: Addresses, peers: PeerServers): Matrix {
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
  for (const fetches of state.fetches.all()) {
    const destination = servers.of(fetches.destination);
    const source = destination === undefined ? undefined : addresses.ownerOf(fetches.from, destination.cluster);
    if (source === undefined || destination === undefined || source === destination) continue;
    const cell = cellOf(matrix, source, destination);
    cell.arrived.ok.merge(fetches.ok);
    cell.arrived.okEvidence.merge(fetches.okEvidence);
    if (fetches.rejected.total > 0) {
      const failures = cell.arrived.fail('unauthorized');
      failures.times.merge(fetches.rejected);
      failures.at.merge(fetches.rejectedAt);
      failures.evidence.merge(fetches.rejectedEvidence);
      failures.error ||= 'the destination answered 401 Unauthorized';
    }
  }
  return matrix;
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

function edge(
  source: ServerView,
  destination: ServerView,
  gathered: Gathered | undefined,
  proxies: ProxyStates,
  partial: boolean,
): EdgeView {
  const attempts = new Attempts();
  if (gathered !== undefined) {
    attempts.merge(gathered.called);
    // The same fetch stands in both logs; an address that stands for several servers makes the source's word weaker.
    if (destination.hasAudit && gathered.arrived.ok.total > 0) attempts.ok.merge(gathered.arrived.ok);
    attempts.okEvidence.merge(gathered.arrived.okEvidence);
    if (!attempts.failures.has('unauthorized'))
      for (const [cause, f] of gathered.arrived.failures) attempts.fail(cause).merge(f);
  }
  const failures = relevant(attempts, source, destination);
  const together = lastTogether(source, destination);
  const fetches = destination.hasAudit && gathered !== undefined ? gathered.arrived.ok.total : attempts.ok.total;
  const failed = [...failures.values()].reduce((sum, f) => sum + f.times.total, 0);
  const newest = newestFailure(failures);
  const lastOk = attempts.ok.last;
  const seen = judge(source, destination, together, lastOk, newest, proxies);
  // What nothing tells the writer of may hold the call.
  const verdict = seen === 'missing' && partial ? 'unknown' : seen;
  const last = Math.max(lastOk, newest?.at ?? Number.NEGATIVE_INFINITY);
  return {
    source,
    destination,
    attempts,
    failures,
    addresses: gathered?.addresses ?? new Set(),
    state: verdict,
    cause: verdict === 'failing' ? (newest?.cause ?? null) : null,
    rejected: {
      arrived: gathered?.arrived.failures.get('unauthorized'),
      called: gathered?.called.failures.get('unauthorized'),
    },
    fetches,
    failed,
    lastAt: Number.isFinite(last) ? last : null,
    together,
  };
}

/** Network failures count only while the destination is up; failures of settings always; start-up noise never. */
function relevant(attempts: Attempts, source: ServerView, destination: ServerView): Map<PeerCallCause, Failures> {
  const kept = new Map<PeerCallCause, Failures>();
  for (const [cause, failures] of attempts.failures) {
    if (SETTING_CAUSES.has(cause)) kept.set(cause, failures);
    else if (NETWORK_CAUSES.has(cause) || cause === 'no-endpoint') {
      const counted = whileUp(failures, source, destination);
      if (counted !== undefined) kept.set(cause, counted);
    }
  }
  return kept;
}

function whileUp(failures: Failures, source: ServerView, destination: ServerView): Failures | undefined {
  if (destination.boots.length === 0) return failures;
  const counted = new Failures();
  for (const [timeUs, count] of failures.times.entries()) {
    const up = destination.boots.some((boot) => isUp(boot, timeUs, STARTUP));
    const stopping = source.boots.some((boot) => boot.stoppedAt !== 0 && timeUs >= boot.stoppedAt && timeUs <= boot.to);
    if (up && !stopping) counted.times.add(timeUs, count);
  }
  if (counted.times.total === 0) return undefined;
  counted.evidence.merge(failures.evidence);
  counted.error = failures.error;
  return counted;
}

function newestFailure(
  failures: ReadonlyMap<PeerCallCause, Failures>,
): { at: number; cause: PeerCallCause } | undefined {
  let newest: { at: number; cause: PeerCallCause } | undefined;
  for (const [cause, { times }] of failures) {
    if (newest === undefined || times.last > newest.at || (times.last === newest.at && cause < newest.cause)) {
      newest = { at: times.last, cause };
    }
  }
  return newest;
}

function judge(
  source: ServerView,
  destination: ServerView,
  together: { from: number; to: number } | null,
  lastOk: number,
  newest: { at: number } | undefined,
  proxies: ProxyStates,
): EdgeView['state'] {
  const since = together === null ? Number.NEGATIVE_INFINITY : together.from - SECOND;
  const okNow = Number.isFinite(lastOk) && lastOk >= since;
  const failingNow = newest !== undefined && newest.at >= since;
  if (failingNow && (!okNow || newest.at > lastOk)) return 'failing';
  if (okNow) return 'ok';
  if (proxies.last(source).state === 'inactive') return 'missing';
  if (together === null || together.to - together.from < TOGETHER) return 'unknown';
  // Without the start of either among the records nobody had a reason to fetch.
  if (!startSeenIn(source, together) && !startSeenIn(destination, together)) return 'unknown';
  return recordsFetches(source, destination) ? 'missing' : 'unknown';
}

/**
 * Whether a fetch that went well would have been seen: in the destination's audit log or as a call line of the source's
 * process log. Call lines are of severity I: a log of warnings and errors alone shows none.
 */
export function recordsFetches(source: ServerView, destination: ServerView): boolean {
  const arrives = destination.writers.some((writer) => writer.nonResource > 0 && !writer.mixed);
  return arrives || source.writers.some((writer) => writer.infos > 0 && !writer.mixed);
}

function startSeenIn(server: ServerView, { from, to }: { from: number; to: number }): boolean {
  return server.boots.some(
    (boot) => boot.startSeenAt !== 0 && boot.startSeenAt >= from - STARTUP && boot.startSeenAt <= to,
  );
}

/** The last stretch in which the last boots of both ran side by side. */
function lastTogether(source: ServerView, destination: ServerView): { from: number; to: number } | null {
  const [a, b]: (Boot | undefined)[] = [source.boots.at(-1), destination.boots.at(-1)];
  if (a === undefined || b === undefined) return null;
  const from = Math.max(a.from, b.from);
  const to = Math.min(end(a), end(b));
  return to > from ? { from, to } : null;
}

function end(boot: Boot): number {
  return boot.stoppedAt === 0 ? boot.to : Math.min(boot.to, boot.stoppedAt);
}
