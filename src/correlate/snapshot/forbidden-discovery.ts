/** Peers that are known by their true name and may not read discovery: somebody took the right from them. */
import type { Observation } from '../../model/observations/index.js';
import type { EvidenceSet } from '../evidence.js';
import { TimeHistogram } from '../time-histogram.js';
import { type Context, edgeNames, facts } from './context.js';
import type { EdgeView } from './edges.js';

/** One for each cluster: rights are kept in it, and not in its servers. */
export function forbiddenDiscovery(context: Context): Observation[] {
  const replaced = replacedAt(context);
  const failing = context.edges.filter(
    (edge) => edge.failures.has('forbidden') && !replaced.has(`${edge.source.cluster} ${edge.destination.name}`),
  );
  return [...new Set(failing.map(({ source }) => source.cluster))].map((cluster) =>
    observe(
      context,
      cluster,
      failing.filter(({ source }) => source.cluster === cluster),
    ),
  );
}

/** `cluster server` of destinations that take the proxy certificate for the user: their 403s are for that user. */
function replacedAt({ state, servers }: Context): Set<string> {
  const found = new Set<string>();
  for (const { destination, replaced } of state.fetches.all()) {
    const server = servers.of(destination);
    if (server !== undefined && replaced.total > 0) found.add(`${server.cluster} ${server.name}`);
  }
  return found;
}

function observe(context: Context, cluster: string, failing: readonly EdgeView[]): Observation {
  const times = new TimeHistogram();
  const evidence: EvidenceSet[] = [];
  let error = '';
  for (const { failures } of failing) {
    const forbidden = failures.get('forbidden');
    if (forbidden === undefined) continue;
    times.merge(forbidden.times);
    evidence.push(forbidden.evidence);
    error ||= forbidden.error;
  }
  const destinations = [...new Set(failing.map(({ destination }) => destination))];
  const answers = context.edges.some(
    ({ source, destination, state }) =>
      source.cluster === cluster && state === 'ok' && !destinations.includes(destination),
  );
  const [only] = destinations;
  return {
    type: 'peer-call-failure',
    ...facts({
      cluster,
      server: answers && destinations.length === 1 && only !== undefined ? only.name : null,
      from: times.first,
      to: times.last,
      count: times.total,
      // A process log tells the code alone, and not for whom.
      certainty: destinations.some(({ hasAudit }) => hasAudit) ? 'certain' : 'possible',
      edges: edgeNames(failing),
      evidence,
    }),
    cause: 'forbidden',
    blamed: 'destination',
    addresses: [],
    error,
    rejection: null,
    names: [],
    accepted: [],
    older: [],
    workedBefore: failing.every(({ attempts }) => attempts.ok.first < times.first),
    destinationUp: 'yes',
    recovered: failing.every(({ state }) => state === 'ok'),
  };
}
