/**
 * Proxied requests that the destination answered with 401. A proxy certificate that expires while servers run shows
 * here alone: what the source learnt of its peers before stays, and is not asked for again.
 */
import { Failures } from '../peers/attempts.js';
import type { ProxiedPair } from './pairs-view.js';
import type { ServerView } from './server-view.js';

/** Of one edge. */
export interface RejectedRequests {
  readonly failures: Failures;
  /** The last request that was taken as the user's; -Infinity when none was. */
  lastAccepted: number;
}

/**
 * By source and destination; only edges with rejected requests. Watches are left out: one over a WebSocket carries no
 * identity of the proxy, and is rejected by servers that are set up well.
 */
export function rejectedRequests(
  pairs: readonly ProxiedPair[],
): (source: ServerView, destination: ServerView) => RejectedRequests | undefined {
  const edges = new Map<ServerView, Map<ServerView, RejectedRequests>>();
  for (const { source, destination, total } of pairs) {
    if (total.verb === 'watch') continue;
    const row = edges.get(source) ?? new Map<ServerView, RejectedRequests>();
    edges.set(source, row);
    const edge = row.get(destination) ?? { failures: new Failures(), lastAccepted: Number.NEGATIVE_INFINITY };
    row.set(destination, edge);
    if (total.code !== 401 || total.rejectedAt === undefined) {
      edge.lastAccepted = Math.max(edge.lastAccepted, total.times.last);
    } else {
      edge.failures.times.merge(total.times);
      edge.failures.at.merge(total.rejectedAt);
      edge.failures.evidence.merge(total.evidence);
    }
  }
  return (source, destination) => {
    const edge = edges.get(source)?.get(destination);
    return edge === undefined || edge.failures.times.total === 0 ? undefined : edge;
  };
}
