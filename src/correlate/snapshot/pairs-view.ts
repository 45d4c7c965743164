/** Pairs that hold: source and destination are different servers, and the destination saw the source's own address. */

import { AuditIDReuse, type ReusedAuditIDs } from '../audit-id-reuse.js';
import type { State } from '../cluster-correlator.js';
import type { PairTotal, PairTotals } from '../requests/pair-totals.js';
import { pairUp } from '../requests/pairing.js';
import type { Addresses } from './addresses.js';
import type { ServerView } from './server-view.js';
import type { Servers } from './servers.js';

export interface ProxiedPair {
  readonly source: ServerView;
  readonly destination: ServerView;
  readonly total: PairTotal;
}

/** All pair totals, those of requests that are still remembered included, and the reuse of Audit-IDs. */
export function gatherPairs(state: State): { totals: PairTotals; reuse: ReusedAuditIDs } {
  const totals = state.pairs.fork();
  const reuse = new AuditIDReuse();
  reuse.merge(state.reuse);
  for (const first of state.requests.pending()) {
    const pairing = pairUp(first);
    for (const pair of pairing.pairs) totals.add(pair, state.failedAnswers);
    reuse.take(pairing);
  }
  return { totals, reuse: reuse.ofServers() };
}

export function validPairs(totals: PairTotals, servers: Servers, addresses: Addresses): ProxiedPair[] {
  const valid: ProxiedPair[] = [];
  for (const total of totals.all()) {
    const source = servers.of(total.source);
    const destination = servers.of(total.destination);
    if (source === undefined || destination === undefined || source === destination) continue;
    if (source.cluster !== destination.cluster) continue;
    if (addresses.owns(source, total.via)) valid.push({ source, destination, total });
  }
  return valid;
}
