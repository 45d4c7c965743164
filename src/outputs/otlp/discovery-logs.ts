/** The states of the discovery matrix as log records, one for each state that an edge has taken. */
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { Analysis, DiscoveryCell } from '../../model/analysis.js';
import { recordIdOf } from './ids.js';
import { buildLogRecord, type LogFacts } from './log-record.js';
import type { ServerResources } from './resources.js';
import { safeText } from './safe-text.js';

const MAX_NAME = 253;
const LEVELS: Readonly<Record<DiscoveryCell['state'], LogFacts['level']>> = {
  ok: 'info',
  failing: 'warning',
  missing: 'warning',
  unknown: 'debug',
};

/** Remembers what was told of each edge, so that only changes are told; memory is bounded by the servers known. */
export class DiscoveryLog {
  #told = new Map<string, string>();

  /** Records of the edges whose state or cause is another one than at the last call; all edges at the first. */
  changes(analysis: Analysis, resources: ServerResources): ReadableLogRecord[] {
    const before = this.#told;
    this.#told = new Map();
    const clusterOf = new Map(analysis.servers.map((server) => [server.name, server.cluster]));
    return analysis.discovery.flatMap((cell) => {
      const cluster = cell.cluster ?? clusterOf.get(cell.source) ?? analysis.clusters[0] ?? 'default';
      const key = JSON.stringify([cluster, cell.source, cell.destination]);
      const state = `${cell.state} ${cell.cause ?? ''}`;
      this.#told.set(key, state);
      return before.get(key) === state ? [] : [record(cell, cluster, analysis.window?.to ?? 0, resources)];
    });
  }
}

function record(cell: DiscoveryCell, cluster: string, endUs: number, resources: ServerResources): ReadableLogRecord {
  const { source, destination, state, cause } = cell;
  const atUs = cell.lastAt ?? endUs;
  return buildLogRecord({
    event: 'skewscope.peer_discovery',
    about: ['discovery', cluster, source, destination],
    uid: recordIdOf('discovery', cluster, source, destination, state, cause ?? '', atUs),
    atUs,
    level: LEVELS[state],
    body: sentence(cell),
    attributes: {
      'skewscope.source': safeText(source, MAX_NAME),
      'skewscope.destination': safeText(destination, MAX_NAME),
      'skewscope.discovery.state': state,
      'skewscope.discovery.fetches': cell.fetches,
      'skewscope.discovery.failures': cell.failures,
      ...(cause === null ? {} : { 'skewscope.cause': cause }),
    },
    resource: resources.of(cluster, source, atUs),
  });
}

function sentence({ source, destination, state, cause }: DiscoveryCell): string {
  if (state === 'ok') return `${source} fetched the APIs of ${destination}`;
  if (state === 'missing') return `${source} never asked ${destination} for its APIs`;
  if (state === 'unknown')
    return `Whether ${source} knows the APIs of ${destination} cannot be told from what was read`;
  return `${source} cannot fetch the APIs of ${destination}${cause === null ? '' : `: ${cause}`}`;
}
