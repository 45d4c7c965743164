/** Where partitions begin that the group gives for the first time. */
import type { Assigned } from '../kafka/port.js';
import type { Partition, Partitions } from './partitions.js';

/**
 * A topic that appears, or a partition that a topic gains, while the service runs is read from its beginning: what was
 * written before it was noticed is as new as what comes after.
 */
export function fromTheBeginning(partitions: Partitions, assigned: readonly Assigned[]): readonly Assigned[] {
  if (partitions.size === 0) return assigned;
  const topics = new Set([...partitions.all()].map(({ stream }) => stream.topic));
  const onlyMore = partitions.isOnlyMore(assigned);
  const isNew = (one: Assigned) =>
    one.committed === undefined && (onlyMore ? partitions.of(one) === undefined : !topics.has(one.topic));
  return assigned.map((one) => (isNew(one) ? { ...one, begin: one.low } : one));
}

/** `audit/0 to 2, audit/5`, for messages. */
export function listOf(partitions: Iterable<Partition>): string {
  const numbers = new Map<string, number[]>();
  for (const { stream } of partitions) {
    numbers.set(stream.topic, [...(numbers.get(stream.topic) ?? []), stream.partition]);
  }
  return [...numbers].map(([topic, list]) => rangesOf(topic, list)).join(', ');
}

function rangesOf(topic: string, list: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of [...list].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => `${topic}/${from}${to === from ? '' : ` to ${to}`}`).join(', ');
}
