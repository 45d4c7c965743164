/** Which member of a group reads which partitions: evenly, and as much as possible as before. */
import type { TopicPartition } from './port.js';

export interface GroupMember {
  readonly id: string;
  /** Topics it wants. */
  readonly topics: ReadonlySet<string>;
  /** What it read before, and in which generation of the group that was. */
  readonly owned: readonly TopicPartition[];
  readonly generation: number;
}

export const partitionKey = ({ topic, partition }: TopicPartition): string => `${topic}/${partition}`;

/**
 * Every partition that any member wants goes to exactly one that does, by member id. The same arguments, in any order,
 * give the same answer.
 */
export function assignPartitions(
  members: readonly GroupMember[],
  partitions: readonly TopicPartition[],
): Map<string, TopicPartition[]> {
  const sorted = [...members].sort((a, b) => compare(a.id, b.id));
  const given = new Map(sorted.map(({ id }): [string, TopicPartition[]] => [id, []]));
  const wanted = partitions.filter(({ topic }) => sorted.some(({ topics }) => topics.has(topic)));
  const left = new Map(wanted.map((one) => [partitionKey(one), one]));
  keep(sorted, left, given, Math.floor(wanted.length / sorted.length), wanted.length % sorted.length);
  const takersOf = ({ topic }: TopicPartition) => sorted.filter(({ topics }) => topics.has(topic));
  // What few want goes first, since the others can be given to whoever has the least then.
  const scarce = (a: TopicPartition, b: TopicPartition) =>
    takersOf(a).length - takersOf(b).length || compareParts(a, b);
  for (const one of [...left.values()].sort(scarce)) {
    const takers = takersOf(one);
    const lists = takers.map(({ id }) => given.get(id) ?? []);
    // Of those with the least, the first by id.
    lists.reduce((least, list) => (list.length < least.length ? list : least)).push(one);
  }
  return given;
}

/** Leaves with each member what it had, up to its share; `extra` of them may hold one more. */
function keep(
  members: readonly GroupMember[],
  left: Map<string, TopicPartition>,
  given: Map<string, TopicPartition[]>,
  share: number,
  extra: number,
): void {
  let spare = extra;
  // Whoever read a partition last has what is needed to go on with it.
  const claims = [...members].sort((a, b) => b.generation - a.generation || compare(a.id, b.id));
  for (const { id, topics, owned } of claims) {
    const list = given.get(id) ?? [];
    for (const one of [...owned].sort(compareParts)) {
      const key = partitionKey(one);
      if (!left.has(key) || !topics.has(one.topic)) continue;
      if (list.length >= share) {
        if (list.length > share || spare === 0) break;
        spare--;
      }
      left.delete(key);
      list.push(one);
    }
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareParts(a: TopicPartition, b: TopicPartition): number {
  return compare(a.topic, b.topic) || a.partition - b.partition;
}
