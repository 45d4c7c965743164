/** Client requests that a source tried to pass on and that ended in 503 or 504 without reaching anybody. */
import type { Observation, PeerCallCause } from '../../model/observations/index.js';
import type { EvidenceSet } from '../evidence.js';
import { Attempts, type Failures } from '../peers/attempts.js';
import { isBuiltIn } from '../serving/version-table.js';
import { NameCounts } from '../sketch.js';
import { TimeHistogram } from '../time-histogram.js';
import { type Context, edgeNames, facts } from './context.js';
import { peerServers } from './peer-servers.js';
import { isUp, type ServerView } from './server-view.js';
import type { BootOutcome } from './serving.js';

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
export function proxyFailures(context: Context): { observations: Observation[]; failed: number } {
  const observations: Observation[] = [];
  let failed = 0;
  for (const source of context.servers.all) {
    const totals = fromAudit(context, source) ?? fromLog(context, source);
    if (totals === undefined || totals.count <= 0) continue;
    failed += totals.count;
    observations.push(failure(context, source, totals));
  }
  return { observations, failed };
}

/**
 * A failed answer for a resource that the boot does not serve itself and that a peer does, or that it passed on before,
 * or of whose requests its process log says that they failed on their way to a peer.
 */
export function isProxyFailure(context: Context, { boot, resource }: Pick<BootOutcome, 'boot' | 'resource'>): boolean {
  if (context.serving.passedOn(boot, resource)) return true;
  const { failedResources } = context.state.calls;
  if (boot.lives.some((life) => failedResources.get(life.id)?.has(resource) === true)) return true;
  if (!isBuiltIn(resource) || context.proxies.of(boot).state === 'inactive') return false;
  if (context.serving.of(boot, resource).serves === true) return false;
  const peers = context.servers.all.filter(
    (server) => server !== boot.server && server.cluster === boot.server.cluster,
  );
  return peers.some((server) => server.boots.some((other) => context.serving.of(other, resource).serves === true));
}

/** The cause that the source's process log gives most often for client requests it could not pass on. */
export function loggedCause(context: Context, source: ServerView): PeerCallCause | null {
  return dominant(loggedFailures(context, source).failures);
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
  const { failures, resources } = loggedFailures(context, source);
  const counted = [...failures].filter(([cause]) => cause !== 'canceled').map(([, found]) => found);
  if (counted.length === 0) return undefined;
  const times = new TimeHistogram();
  for (const found of counted) times.merge(found.times);
  return { times, count: times.total, codes: [503], writes: 0, resources, evidence: [] };
}

function failure(context: Context, source: ServerView, totals: FailureTotals): Observation {
  const logged = loggedFailures(context, source);
  const later = context.pairs.some(
    (pair) => pair.source === source && pair.total.code < 500 && pair.total.times.last > totals.times.last,
  );
  const destinations = [...logged.destinations];
  const peers = context.servers.all.filter((server) => server !== source && server.cluster === source.cluster);
  const down = (destinations.length > 0 ? destinations : peers).filter((server) => server.boots.length > 0);
  return {
    type: 'proxy-failure',
    ...facts({
      cluster: source.cluster,
      server: source.name,
      from: totals.times.first,
      to: totals.times.last,
      count: totals.count,
      certainty: 'certain',
      edges: edgeNames(destinations.map((destination) => ({ source, destination }))),
      evidence: [...totals.evidence, ...[...logged.failures.values()].map((found) => found.evidence)],
    }),
    cause: dominant(logged.failures),
    resources: [...new Set(totals.resources)].sort(),
    codes: [...totals.codes].sort((a, b) => a - b),
    writes: totals.writes,
    destinationDown:
      down.length > 0 && down.every((server) => !server.boots.some((boot) => isUp(boot, totals.times.last, 0))),
    recovered: later || logged.okAfter > totals.times.last,
  };
}

interface Logged {
  readonly failures: Attempts['failures'];
  readonly destinations: ReadonlySet<ServerView>;
  readonly resources: readonly string[];
  /** The last request that got no error. */
  readonly okAfter: number;
}

/** What the source's process log says of client requests that it passed on. */
function loggedFailures(context: Context, source: ServerView): Logged {
  const { calls, writers } = context.state;
  const peers = peerServers(context.state, context.servers, context.addresses);
  const all = new Attempts();
  const destinations = new Set<ServerView>();
  const resources = new NameCounts(64);
  for (const [key, attempts] of calls.requests.entries()) {
    const blank = key.indexOf(' ');
    const life = writers.lives[Number(key.slice(0, blank))];
    if (life === undefined || context.servers.of(life) !== source) continue;
    all.ok.merge(attempts.ok);
    if (attempts.failures.size === 0) continue;
    for (const [cause, failures] of attempts.failures) all.fail(cause).merge(failures);
    const failed = calls.failedResources.get(life.id);
    if (failed !== undefined) resources.merge(failed);
    const destination = peers.atAddress(key.slice(blank + 1), source);
    if (destination !== undefined && destination !== source) destinations.add(destination);
  }
  return { failures: all.failures, destinations, resources: resources.names(), okAfter: all.ok.last };
}

function dominant(failures: ReadonlyMap<PeerCallCause, Failures>): PeerCallCause | null {
  const ranked = [...failures].sort((a, b) => b[1].times.total - a[1].times.total || (a[0] < b[0] ? -1 : 1));
  return ranked[0]?.[0] ?? null;
}
