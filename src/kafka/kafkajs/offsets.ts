/** Asks the brokers for offsets of partitions: what is there, what is committed, what was first at a time. */
import type { Cluster } from 'kafkajs';
import { partitionKey } from '../assignment.js';
import type { PartitionOffset, TopicPartition } from '../port.js';
import { byTopic } from './assigner.js';

export interface Bounds {
  /** Lowest offset that is there. */
  readonly low: number;
  /** One above the highest that this consumer may read. */
  readonly high: number;
}

type Wanted = { fromBeginning: boolean } | { fromTimestamp: number };

export async function readBounds(cluster: Cluster, list: readonly TopicPartition[]): Promise<Map<string, Bounds>> {
  const [lows, highs] = await Promise.all([
    listOffsets(cluster, list, { fromBeginning: true }),
    listOffsets(cluster, list, { fromBeginning: false }),
  ]);
  return new Map([...highs].map(([key, high]) => [key, { low: lows.get(key) ?? 0, high }]));
}

/** One above the highest offset of each. */
export function readEnds(cluster: Cluster, list: readonly TopicPartition[]): Promise<Map<string, number>> {
  return listOffsets(cluster, list, { fromBeginning: false });
}

/** Of the first message at or after a time in milliseconds; -1 where there is none. */
export function offsetsAt(
  cluster: Cluster,
  list: readonly TopicPartition[],
  time: number,
): Promise<Map<string, number>> {
  return listOffsets(cluster, list, { fromTimestamp: time });
}

/** What the group has committed; nothing for partitions where it has not. Negative offsets are kafkajs's word for the earliest. */
export async function readCommitted(
  cluster: Cluster,
  groupId: string,
  list: readonly TopicPartition[],
): Promise<Map<string, PartitionOffset>> {
  const coordinator = await cluster.findGroupCoordinator({ groupId });
  const topics = Object.entries(byTopic(list)).map(([topic, partitions]) => ({
    topic,
    partitions: partitions.map((partition) => ({ partition, offset: '0' })),
  }));
  const { responses } = await coordinator.offsetFetch({ groupId, topics });
  const committed = new Map<string, PartitionOffset>();
  for (const { topic, partitions } of responses) {
    for (const { partition, offset, metadata } of partitions as ((typeof partitions)[number] & {
      metadata?: string | null;
    })[]) {
      // -1: none.
      if (offset === '-1') continue;
      const one = { topic, partition, offset: Number(offset), ...(metadata ? { metadata } : {}) };
      committed.set(partitionKey(one), one);
    }
  }
  return committed;
}

/** As commits of a group want them. */
export function offsetsByTopic(
  offsets: readonly PartitionOffset[],
): { topic: string; partitions: { partition: number; offset: string; metadata: string }[] }[] {
  const topics = new Map<string, { partition: number; offset: string; metadata: string }[]>();
  for (const { topic, partition, offset, metadata = '' } of offsets) {
    const partitions = topics.get(topic) ?? [];
    partitions.push({ partition, offset: String(offset), metadata });
    topics.set(topic, partitions);
  }
  return [...topics].map(([topic, partitions]) => ({ topic, partitions }));
}

async function listOffsets(
  cluster: Cluster,
  list: readonly TopicPartition[],
  wanted: Wanted,
): Promise<Map<string, number>> {
  const topics = Object.entries(byTopic(list)).map(([topic, partitions]) => ({
    topic,
    partitions: partitions.map((partition) => ({ partition })),
    ...wanted,
  }));
  const answers = await cluster.fetchTopicsOffset(topics as Parameters<Cluster['fetchTopicsOffset']>[0]);
  return new Map(
    answers.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }): [string, number] => [partitionKey({ topic, partition }), Number(offset)]),
    ),
  );
}
