/** What tests of services that die share: chance that is the same each time, and what all processes told together. */
import type { ToldOutputs } from './told.js';

export interface Story {
  /** Fingerprints of all findings that were ever told. */
  readonly opened: string[];
  /** Of those that are open at the end. */
  readonly open: string[];
  readonly requests: string[];
}

/** `last`: of the process that is left. */
export function storyOf(all: readonly ToldOutputs[], last: ToldOutputs): Story {
  const changes = all.flatMap(({ batches }) => batches.flatMap((batch) => batch.changes));
  const opened = new Set(changes.map(({ finding }) => finding.fingerprint));
  const requests = new Set(all.flatMap((outputs) => outputs.requests));
  return { opened: [...opened].sort(), open: last.open, requests: [...requests].sort() };
}

/** Gives numbers below a limit that look random. */
export function chance(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % limit;
  };
}
