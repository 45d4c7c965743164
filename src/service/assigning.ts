/** Where partitions begin that the group gives for the first time. */
import type { Assigned } from '../kafka/port.js';
import type { Partitions } from './partitions.js';

/**
 * A topic that appears, or a partition that a topic gains, while the service runs is read from its beginning: what was
 * written before it was noticed is as new as what comes after. One that is kept goes on to begin where it began, though
 * that could not be committed yet: what was written since is not to be left out.
 */
export function fromTheBeginning(partitions: Partitions, assigned: readonly Assigned[]): readonly Assigned[] {
  if (partitions.size === 0) return assigned;
  const topics = new Set([...partitions.all()].map(({ stream }) => stream.topic));
  const onlyMore = partitions.isOnlyMore(assigned);
  const isNew = (one: Assigned) =>
    one.committed === undefined && (onlyMore ? partitions.of(one) === undefined : !topics.has(one.topic));
  return assigned.map((one) => {
    if (isNew(one)) return { ...one, begin: one.low };
    const known = one.committed === undefined ? partitions.of(one) : undefined;
    return known?.committed === null ? { ...one, begin: Math.max(known.begin, one.low) } : one;
  });
}
