/** Client requests that a source tried to pass on and that ended in 503 or 504 without reaching anybody. */
import type { Observation, PeerCallCause } from '../../model/observations/index.js';
import type { EvidenceSet } from '../evidence.js';
import { Attempts } from '../peers/attempts.js';
import type { LifeRequests } from '../peers/request-log.js';
import type { Half } from '../requests/half.js';
import { isBuiltIn } from '../serving/version-table.js';
import { NameCounts } from '../sketch.js';
import { TimeHistogram } from '../time-histogram.js';
import { type Context, edgeNames, facts } from './context.js';
import type { Hop } from './failed-hops.js';
import { type FailedEdge, type Fault, failedEdges, type Outage, peersAtFault, workingEdges } from './outages.js';
import { isUp, type ServerView } from './server-view.js';
import type { BootOutcome } from './serving.js';
import { silenceOf } from './silences.js';

/** What one source's records say of requests that it could not pass on. */
interface FailureTotals {
  readonly times: TimeHistogram;
  readonly count: number;
  readonly codes: readonly number[];
  readonly writes: number;
  readonly resources: readonly string[];
  readonly evidence: readonly EvidenceSet[];
}

/** Audit logs count the requests; the process log names the cause, and stands in where the audit log shows none. */
export function proxyFailures(context: Context): {
  observations: Observation[];
  outages: readonly Outage[];
  failed: number;
} {
  const found: { source: ServerView; totals: FailureTotals; edges: FailedEdge[] }[] = [];
  for (const source of context.servers.all) {
    const totals = fromAudit(context, source) ?? fromLog(context, source);
    if (totals === undefined || totals.count <= 0) continue;
    found.push({
      source,
      totals,
      edges: failedEdges(context, source, (hop) => hop.called || isPassedOn(context, hop)),
    });
  }
  const edges = found.flatMap((entry) => entry.edges);
  const faults = peersAtFault(context, edges);
  // Where nothing tells which peer it was, it may have been any.
  const anywhere = found.filter((entry) => entry.edges.length === 0);
  return {
    outages: [...edges, ...anywhere.map(({ source, totals }) => ({ source, times: totals.times }))],
    observations: found.map(({ source, totals, edges: own }) =>
      failure(context, source, totals, own, faults.get(source)),
    ),
    failed: found.reduce((sum, { totals }) => sum + totals.count, 0),
  };
}

/**
 * A failed answer for a resource that the boot does not serve itself and that a peer does, or that it passed on before,
 * or of whose requests its process log says that they failed on their way to a peer.
 */
export function isProxyFailure(context: Context, { boot, resource }: Pick<BootOutcome, 'boot' | 'resource'>): boolean {
  if (context.serving.passedOn(boot, resource) || context.hops.called(boot, resource)) return true;
  if (!isBuiltIn(resource) || context.proxies.of(boot).state === 'inactive') return false;
  if (context.serving.of(boot, resource).serves === true) return false;
  const peers = context.servers.all.filter(
    (server) => server !== boot.server && server.cluster === boot.server.cluster,
  );
  return peers.some((server) => server.boots.some((other) => context.serving.of(other, resource).serves === true));
}

/** The cause of one failed request, else the one that the source's process log gives most often for those it could not pass on. */
export function loggedCause(context: Context, source: ServerView, half: Half): PeerCallCause | null {
  const { hops, causes } = context.hops.of(source);
  const hop = hops.find(({ answer }) => answer.life === half.life && answer.receivedUs === half.receivedUs);
  return hop?.cause ?? dominant(causes);
}

function isPassedOn(context: Context, { answer }: Hop): boolean {
  const boot = context.serving.bootOf(answer.life);
  return (
    boot !== undefined && isProxyFailure(context, { boot, resource: context.state.resources.name(answer.resource) })
  );
}

/** undefined when no failed answer is one of a request passed on; a count of 0 when all of them reached a peer. */
function fromAudit(context: Context, source: ServerView): FailureTotals | undefined {
  const entries = [...context.serving.outcomes()].filter(
    (entry) =>
      entry.boot.server === source &&
      entry.outcomes.some((outcome) => outcome.failed !== undefined) &&
      isProxyFailure(context, entry),
  );
  if (entries.length === 0) return undefined;
  const answers = entries.flatMap((entry) => entry.outcomes).flatMap((outcome) => outcome.failed ?? []);
  const times = new TimeHistogram();
  const codes = new NameCounts(8);
  for (const answer of answers) {
    times.merge(answer.times);
    codes.merge(answer.codes);
  }
  const reached = context.pairs
    .filter((pair) => pair.source === source)
    .reduce((sum, pair) => sum + pair.total.sourceFailed.total, 0);
  return {
    times,
    count: times.total - reached,
    codes: codes.names().map(Number),
    writes: answers.reduce((sum, answer) => sum + answer.writes, 0),
    resources: entries.map((entry) => entry.resource),
    evidence: answers.map((answer) => answer.evidence.where(() => true)),
  };
}

/** Where its audit log shows none (there is none, or its policy leaves them out): its error lines, less those of clients that went away. */
function fromLog(context: Context, source: ServerView): FailureTotals | undefined {
  const { logs } = context.hops.of(source);
  const all = new Attempts();
  const resources = new Set<string>();
  for (const log of logs) {
    for (const [cause, failures] of log.attempts.failures) if (cause !== 'canceled') all.fail(cause).merge(failures);
    for (const { failures } of log.unresolved.values()) all.fail('no-endpoint').merge(failures);
  }
  if (all.failures.size === 0) return undefined;
  for (const boot of source.boots) for (const resource of context.hops.resources(boot)) resources.add(resource);
  const times = new TimeHistogram();
  for (const found of all.failures.values()) times.merge(found.times);
  return { times, count: times.total, codes: [503], writes: 0, resources: [...resources], evidence: [] };
}

function failure(
  context: Context,
  source: ServerView,
  totals: FailureTotals,
  edges: readonly FailedEdge[],
  fault: Fault | undefined,
): Observation {
  const { causes, logs } = context.hops.of(source);
  const { last } = totals.times;
  const later = context.pairs.some(
    (pair) => pair.source === source && pair.total.code < 500 && pair.total.times.last > last,
  );
  const destinations = edges.map(({ destination }) => destination);
  const peers = context.servers.all.filter((server) => server !== source && server.cluster === source.cluster);
  const down = (destinations.length > 0 ? destinations : peers).filter((server) => server.boots.length > 0);
  const working = edges.length === 0 ? [] : workingEdges(context, edges);
  return {
    type: 'proxy-failure',
    ...facts({
      cluster: source.cluster,
      server: (fault?.server ?? source).name,
      from: totals.times.first,
      to: last,
      count: totals.count,
      certainty: 'certain',
      edges: edgeNames(edges),
      evidence: [...totals.evidence, ...logs.flatMap(evidenceOf)],
    }),
    source: source.name,
    blamed: fault === undefined ? 'source' : fault.bothWays ? 'both' : 'destination',
    cause: dominant(causes),
    causes: [...causes.keys()].sort(),
    working: edgeNames(working.filter((edge) => edge.source === source || destinations.includes(edge.destination))),
    silent: edges.flatMap(({ destination, times }) => {
      const silence = silenceOf(context, destination, times);
      return silence === undefined ? [] : [{ server: destination.name, ...silence }];
    }),
    resources: [...new Set(totals.resources)].sort(),
    codes: [...totals.codes].sort((a, b) => a - b),
    writes: totals.writes,
    destinationDown: down.length > 0 && down.every((server) => !server.boots.some((boot) => isUp(boot, last, 0))),
    recovered: later || logs.some((log) => log.lastCallAt > last),
  };
}

function evidenceOf({ attempts, unresolved }: LifeRequests): EvidenceSet[] {
  return [...attempts.failures.values(), ...[...unresolved.values()].map(({ failures }) => failures)].map(
    ({ evidence }) => evidence,
  );
}

function dominant(causes: ReadonlyMap<PeerCallCause, number>): PeerCallCause | null {
  const ranked = [...causes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return ranked[0]?.[0] ?? null;
}
