/** Puts batches together that a slow output has not taken yet: bounded by what is open, not by how long it takes. */
import type { FindingChange } from '../../findings/index.js';
import type { OutputBatch } from '../output.js';

/** Requests that wait for one output; the oldest are given up beyond that, unless the caller waits for room. */
export const MAX_REQUESTS = 10_000;

export interface Coalesced {
  readonly batch: OutputBatch;
  /** Requests that were given up. */
  readonly dropped: number;
}

/** The later batch with what it lacks of the earlier one, and at most `most` requests, the latest. */
export function coalesce(earlier: OutputBatch | undefined, later: OutputBatch, most = MAX_REQUESTS): Coalesced {
  if (earlier === undefined) return bounded(later, most);
  const changes = mergeChanges([...earlier.changes, ...later.changes]);
  const complete = later.complete ?? earlier.complete;
  const whole = complete === undefined ? {} : { complete };
  const anew = earlier.anew === true || later.anew === true ? { anew: true } : {};
  return bounded({ ...later, ...whole, ...anew, changes, requests: [...earlier.requests, ...later.requests] }, most);
}

function bounded(batch: OutputBatch, most: number): Coalesced {
  const dropped = Math.max(0, batch.requests.length - most);
  return dropped === 0 ? { batch, dropped } : { batch: { ...batch, requests: batch.requests.slice(dropped) }, dropped };
}

/**
 * At most two changes of a finding: that it was there, as it was last seen, and that it is no more. One that came, went
 * and came again is there; what was told as open before and went is told as gone.
 */
function mergeChanges(changes: readonly FindingChange[]): FindingChange[] {
  const rising = new Map<string, FindingChange>();
  const gone = new Map<string, FindingChange>();
  for (const change of changes) {
    const { fingerprint } = change.finding;
    if (change.kind === 'resolved') {
      gone.set(fingerprint, change);
      continue;
    }
    gone.delete(fingerprint);
    const kind = rising.get(fingerprint)?.kind ?? change.kind;
    rising.set(fingerprint, { kind, finding: change.finding });
  }
  return [...rising.values(), ...gone.values()];
}
