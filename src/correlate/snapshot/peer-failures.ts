/** Observations about calls between peers that fail: by cause and by the server that the pattern points to. */
import type { Observation, PeerCallCause } from '../../model/observations/index.js';
import { MINUTE, SECOND } from '../../model/time.js';
import { Failures } from '../peers/attempts.js';
import { NETWORK_CAUSES } from '../peers/error-cause.js';
import { type Blame, blame, type Role } from './blame.js';
import { type Context, edgeNames, facts } from './context.js';
import type { EdgeView } from './edges.js';
import { clearsHandshake } from './handshakes.js';
import { type RejectedRequests, rejectedRequests } from './rejected-requests.js';
import { type EdgeRejection, edgeRejection, sharedRejection } from './rejections.js';
import type { ServerView } from './server-view.js';

/** Causes that one mistake makes go together: a dead address times out, or has no route, or is no host. */
const FAMILIES: readonly (readonly [readonly PeerCallCause[], Role])[] = [
  [['unknown-authority'], 'source'],
  [['cert-name'], 'destination'],
  [['cert-expired'], 'destination'],
  [['cert-invalid'], 'destination'],
  [['unauthorized'], 'source'],
  [['timeout', 'no-route', 'unknown-host'], 'destination'],
  [['refused'], 'destination'],
  [['invalid-address'], 'destination'],
  [['via-proxy'], 'source'],
];
/** Judged once for each connection: that calls work says something only of the time when they were connected. */
const HANDSHAKE_CAUSES: ReadonlySet<PeerCallCause> = new Set([
  'unknown-authority',
  'cert-name',
  'cert-expired',
  'cert-invalid',
]);
/** Network failures shorter than this are a restart, not a setting. */
const PERSISTENT = 10 * SECOND;
const LONG = MINUTE;

/** One failing edge with the failures of one family of causes. */
interface Failing {
  readonly source: ServerView;
  readonly destination: ServerView;
  readonly edge: EdgeView;
  readonly cause: PeerCallCause;
  readonly failures: Failures;
  /** Why the destination answers 401, where it does and its log tells. */
  readonly rejection: EdgeRejection | undefined;
  readonly recovered: boolean;
  readonly workedBefore: boolean;
}

export function peerFailures(context: Context): Observation[] {
  const observations: Observation[] = [];
  const requestsOf = rejectedRequests(context.pairs);
  for (const [causes, preferred] of FAMILIES) {
    const failing = context.edges
      .map((edge) =>
        causes.includes('unauthorized')
          ? rejectedEdge(context, edge, requestsOf(edge.source, edge.destination))
          : failingEdge(edge, causes),
      )
      .filter((entry) => entry !== undefined);
    const handshake = causes.some((cause) => HANDSHAKE_CAUSES.has(cause));
    const healthy = context.edges.filter(
      (edge) =>
        (handshake ? edge.attempts.ok.total > 0 : edge.state === 'ok') && !failing.some((entry) => entry.edge === edge),
    );
    for (const group of [failing.filter((f) => !f.recovered), failing.filter((f) => f.recovered)]) {
      for (const cluster of new Set(group.map((entry) => entry.source.cluster))) {
        const here = group.filter((entry) => entry.source.cluster === cluster);
        const working = healthy.filter((edge) => edge.source.cluster === cluster);
        const end = rejectingEnd(here) ?? (hasOpenCalls(here, context.edges, causes) ? 'source' : preferred);
        const blamed = blame(here, working, end, handshake ? clearsHandshake : undefined);
        for (const one of blamed) observations.push(observe(one, handshake ? working : []));
      }
    }
  }
  return observations;
}

/** Where both ends explain the failures, what the log says of the certificate decides: without these flags nobody's is accepted. */
function rejectingEnd(failing: readonly Failing[]): Role | undefined {
  const reasons = new Set(failing.map(({ rejection }) => rejection?.reason));
  reasons.delete(undefined);
  return reasons.size === 1 && reasons.has('not-configured') ? 'destination' : undefined;
}

/**
 * One edge fails and its source waits for what another peer answers, or begins to fail there: both ends explain it until then. What nothing
 * answers yet is named by the source, so that the next failure adds to the finding instead of making another one.
 */
function hasOpenCalls(
  [only, ...others]: readonly Failing[],
  edges: readonly EdgeView[],
  causes: readonly PeerCallCause[],
): boolean {
  if (only === undefined || others.length > 0) return false;
  const isOpen = ({ addresses, attempts }: EdgeView) =>
    addresses.size > 0 &&
    attempts.ok.total === 0 &&
    [...attempts.failures.keys()].every((cause) => causes.includes(cause));
  return edges.some((edge) => edge.source === only.source && edge !== only.edge && isOpen(edge));
}

function failingEdge(edge: EdgeView, causes: readonly PeerCallCause[]): Failing | undefined {
  const failures = new Failures();
  let cause: PeerCallCause | undefined;
  let most = 0;
  for (const candidate of causes) {
    const found = edge.failures.get(candidate);
    if (found === undefined) continue;
    // A call that never worked did not fail for another reason while the destination was starting.
    failures.merge(edge.attempts.ok.total === 0 ? (edge.attempts.failures.get(candidate) ?? found) : found);
    if (found.times.total > most) [cause, most] = [candidate, found.times.total];
  }
  if (cause === undefined) return undefined;
  const lasting = failures.times.last - firstAttempt(edge, causes);
  const failsNow = edge.state === 'failing' && edge.cause !== null && causes.includes(edge.cause);
  const recovered = edge.state === 'ok';
  if (NETWORK_CAUSES.has(cause) && (lasting < PERSISTENT || (!failsNow && lasting < LONG))) return undefined;
  const workedBefore = edge.attempts.ok.total > 0 && edge.attempts.ok.first < failures.times.first;
  const { source, destination } = edge;
  return { source, destination, edge, cause, failures, rejection: undefined, recovered, workedBefore };
}

/** Discovery or requests of clients that the destination answered with 401, both together. */
function rejectedEdge(context: Context, edge: EdgeView, requests: RejectedRequests | undefined): Failing | undefined {
  const { source, destination, attempts } = edge;
  const failures = new Failures();
  const arrived = new Failures();
  for (const found of [edge.failures.get('unauthorized'), requests?.failures]) if (found) failures.merge(found);
  for (const found of [edge.rejected.arrived, requests?.failures]) if (found) arrived.merge(found);
  if (failures.times.total === 0) return undefined;
  const lastOk = Math.max(attempts.ok.last, requests?.lastAccepted ?? Number.NEGATIVE_INFINITY);
  return {
    ...{ source, destination, edge, failures },
    cause: 'unauthorized',
    rejection: edgeRejection(context.state, destination, {
      arrived: arrived.times.total > 0 ? arrived : undefined,
      called: edge.rejected.called,
    }),
    recovered: requests === undefined ? edge.state === 'ok' : lastOk > failures.times.last,
    workedBefore: attempts.ok.first < failures.times.first,
  };
}

/** The first failure of the family, those while the destination started included. */
function firstAttempt(edge: EdgeView, causes: readonly PeerCallCause[]): number {
  return Math.min(...causes.map((cause) => edge.attempts.failures.get(cause)?.times.first ?? Number.POSITIVE_INFINITY));
}

/** `working` are edges over which certificates were accepted, then or before. */
function observe({ server, role, edges: failing, forced }: Blame<Failing>, working: readonly EdgeView[]): Observation {
  const merged = new Failures();
  const counts = new Map<PeerCallCause, number>();
  for (const { failures, cause } of failing) {
    merged.merge(failures);
    counts.set(cause, (counts.get(cause) ?? 0) + failures.times.total);
  }
  const [cause] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0] ?? ['unknown' as const];
  const known = failing.every((entry) => entry.destination.boots.length > 0);
  const rejected = sharedRejection(failing.flatMap(({ rejection }) => rejection ?? []));
  const accepted = working.filter(
    (edge) => failing.every(({ source }) => source === edge.source) && clearsHandshake(edge, 'source', failing),
  );
  const older = working.filter(
    (edge) =>
      edge.state === 'ok' &&
      failing.every(({ destination }) => destination === edge.destination) &&
      !clearsHandshake(edge, 'destination', failing),
  );
  const workedBefore = failing.every((entry) => entry.workedBefore);
  // The caller accepts others, and others call the destination over connections that are older than the failures.
  const undecided =
    cause === 'unknown-authority' && role === 'destination' && forced && older.length > 0 && !workedBefore;
  const certainly = undecided || rejected?.end === role;
  const doubted = cause === 'unknown-authority' && role === 'destination' && older.length > 0;
  return {
    type: 'peer-call-failure',
    ...facts({
      cluster: server.cluster,
      server: undecided ? null : server.name,
      from: merged.times.first,
      to: merged.times.last,
      count: merged.times.total,
      certainty: certainly ? 'certain' : doubted ? 'likely' : certaintyOf(cause, known, forced),
      edges: edgeNames(failing),
      evidence: rejected === undefined ? [merged.evidence] : [merged.evidence.first(2), ...rejected.evidence],
    }),
    cause,
    blamed: undecided ? 'either' : role,
    accepted: edgeNames(accepted),
    older: edgeNames(older),
    addresses: [...new Set(failing.flatMap((entry) => [...entry.edge.addresses]))].sort(),
    error: rejected?.error ?? merged.error,
    rejection: rejected?.reason ?? null,
    names: [...(rejected?.names ?? [])],
    workedBefore,
    destinationUp: known ? 'yes' : 'unknown',
    recovered: failing.every((entry) => entry.recovered),
  };
}

/**
 * The error text names the cause, and mostly the end that has to be mended. A 401 does not: the certificate shown or the
 * flags that judge it may be wrong, and only other edges tell. A network error without the destination's log may also be
 * a peer that is down.
 */
function certaintyOf(cause: PeerCallCause, known: boolean, forced: boolean): 'possible' | 'likely' | 'certain' {
  if (NETWORK_CAUSES.has(cause)) return known ? 'certain' : 'possible';
  if (cause === 'unauthorized' && !forced) return known ? 'likely' : 'possible';
  return 'certain';
}
