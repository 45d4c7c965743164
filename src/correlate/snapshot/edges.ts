/** The discovery matrix: for each ordered pair of servers what was tried, what came of it, and how it stands at the end. */
import type { PeerCallCause } from '../../model/observations/index.js';
import { SECOND } from '../../model/time.js';
import type { State } from '../cluster-correlator.js';
import { Attempts, Failures } from '../peers/attempts.js';
import { NETWORK_CAUSES, SETTING_CAUSES } from '../peers/error-cause.js';
import type { TimeHistogram } from '../time-histogram.js';
import type { Addresses } from './addresses.js';
import { type Ownerless, ownerlessArrivals } from './ownerless.js';
import type { ProxiedPair } from './pairs-view.js';
import { type Gathered, gather } from './peer-calls.js';
import { peerServers } from './peer-servers.js';
import type { ProxyStates } from './proxy-state.js';
import { recordsFetches } from './recording.js';
import type { Rejected } from './rejections.js';
import { type Boot, isUp, type ServerView } from './server-view.js';
import type { Servers } from './servers.js';

/** A peer needs this long after its start until others can know it. */
const STARTUP = 15 * SECOND;
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

export function buildEdges(
  state: State,
  servers: Servers,
  addresses: Addresses,
  proxies: ProxyStates,
  pairs: readonly ProxiedPair[],
): EdgeView[] {
  const peers = peerServers(state, servers, addresses);
  const gathered = gather(state, servers, addresses, peers);
  const ownerless = ownerlessArrivals(state, servers, addresses);
  const others = { proxies, pairs, ownerless, partial: servers.partial };
  const edges: EdgeView[] = [];
  for (const source of servers.all) {
    for (const destination of servers.all) {
      if (source === destination || source.cluster !== destination.cluster) continue;
      if (source.boots.length === 0 && destination.boots.length === 0) continue;
      edges.push(edge(source, destination, gathered.get(source)?.get(destination), others));
    }
    for (const [destination, cell] of gathered.get(source) ?? []) {
      if (!servers.all.includes(destination)) edges.push(edge(source, destination, cell, others));
    }
  }
  return edges;
}

/** What else may say that an edge is not missing. */
interface Others {
  readonly proxies: ProxyStates;
  readonly pairs: readonly ProxiedPair[];
  readonly ownerless: readonly Ownerless[];
  /** The writer of some records is not known. */
  readonly partial: boolean;
}

function edge(source: ServerView, destination: ServerView, gathered: Gathered | undefined, others: Others): EdgeView {
  const attempts = new Attempts();
  if (gathered !== undefined) {
    attempts.merge(gathered.called);
    // The same fetch stands in both logs; an address that stands for several servers makes the source's word weaker.
    if (destination.hasAudit && gathered.arrived.ok.total > 0) attempts.ok.merge(gathered.arrived.ok);
    attempts.okEvidence.merge(gathered.arrived.okEvidence);
    const { failures } = gathered.called;
    for (const [cause, f] of gathered.arrived.failures) if (!failures.has(cause)) attempts.fail(cause).merge(f);
  }
  const failures = relevant(attempts, source, destination);
  const together = lastTogether(source, destination);
  const fetches = destination.hasAudit && gathered !== undefined ? gathered.arrived.ok.total : attempts.ok.total;
  const failed = [...failures.values()].reduce((sum, f) => sum + f.times.total, 0);
  const newest = newestFailure(failures);
  const lastOk = attempts.ok.last;
  const seen = judge(source, destination, together, lastOk, newest, others.proxies);
  const verdict = seen === 'ok' || seen === 'failing' ? seen : ofSilence(seen, source, destination, together, others);
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

/** Network failures, and the 403s of a start, count only while the destination is up; failures of settings always. */
function relevant(attempts: Attempts, source: ServerView, destination: ServerView): Map<PeerCallCause, Failures> {
  const kept = new Map<PeerCallCause, Failures>();
  for (const [cause, failures] of attempts.failures) {
    if (SETTING_CAUSES.has(cause)) kept.set(cause, failures);
    else if (NETWORK_CAUSES.has(cause) || cause === 'no-endpoint' || cause === 'forbidden') {
      const counted = whileUp(failures, source, destination);
      if (counted !== undefined) kept.set(cause, counted);
    }
  }
  return kept;
}

function whileUp(failures: Failures, source: ServerView, destination: ServerView): Failures | undefined {
  const counted = new Failures();
  const { times } = failures;
  for (const [timeUs, count] of times.entries()) {
    // A bucket with the stop of either holds its farewell: both ends of it must be clear of that.
    const [from, to] = [Math.max(timeUs, times.first), Math.min(timeUs + times.width - 1, times.last)];
    const up =
      destination.boots.length === 0 ||
      destination.boots.some((boot) => isUp(boot, from, STARTUP) && isUp(boot, to, STARTUP));
    const stopping = source.boots.some((boot) => boot.stoppedAt !== 0 && to >= boot.stoppedAt && from <= boot.to);
    if (up && !stopping) counted.times.add(timeUs, count);
  }
  if (counted.times.total === times.total) return failures;
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

/** A request passed on proves what no record of a fetch shows; nothing is missing that may come from an address of nobody. */
function ofSilence(
  seen: 'missing' | 'unknown',
  source: ServerView,
  destination: ServerView,
  together: EdgeView['together'],
  { proxies, pairs, ownerless, partial }: Others,
): EdgeView['state'] {
  const during = (times: TimeHistogram) => together === null || times.between(together.from, together.to) > 0;
  const passedOn = pairs.some(
    ({ total, ...pair }) =>
      pair.source === source &&
      pair.destination === destination &&
      total.rejectedAt === undefined &&
      during(total.times),
  );
  if (passedOn) return 'ok';
  if (seen === 'unknown' || partial) return 'unknown';
  const maybeFetched = ownerless.some(
    ({ seenBy, arrivals }) =>
      !seenBy.has(source) && arrivals.some((a) => a.destination === destination && during(a.ok)),
  );
  return maybeFetched && proxies.last(source).state !== 'inactive' ? 'unknown' : 'missing';
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
