/** Tells kafkajs how partitions are shared out, and hears from it when a group is joined. */
import kafkajs, { type Cluster, type PartitionAssigner } from 'kafkajs';
import { assignPartitions, type GroupMember } from '../assignment.js';
import type { TopicPartition } from '../port.js';

export interface AssignerHooks {
  /** The connection of the consumer, for what kafkajs has no function for. */
  onCluster(cluster: Cluster): void;
  /** The group is about to be joined, for the first time or again: until then nothing is assigned. */
  onJoining(): void;
  /** What this member had last. */
  owned(): { readonly partitions: readonly TopicPartition[]; readonly generation: number };
}

/** All members of a group must use the same. */
const NAME = 'skewscope-sticky';
const VERSION = 1;

export function stickyAssigner(hooks: AssignerHooks): PartitionAssigner {
  const { MemberMetadata, MemberAssignment } = kafkajs.AssignerProtocol;
  return ({ cluster }) => {
    hooks.onCluster(cluster);
    return {
      name: NAME,
      version: VERSION,
      protocol({ topics }) {
        hooks.onJoining();
        const userData = Buffer.from(JSON.stringify(hooks.owned()));
        return { name: NAME, metadata: MemberMetadata.encode({ version: VERSION, topics, userData }) };
      },
      async assign({ members, topics }) {
        const decoded = members.map(({ memberId, memberMetadata }): GroupMember => {
          const metadata = MemberMetadata.decode(memberMetadata);
          return {
            id: memberId,
            topics: new Set(metadata?.topics ?? []),
            ...readOwned(metadata?.userData ?? Buffer.alloc(0)),
          };
        });
        const partitions = topics.flatMap((topic) =>
          cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ topic, partition: partitionId })),
        );
        return [...assignPartitions(decoded, partitions)].map(([memberId, list]) => ({
          memberId,
          memberAssignment: MemberAssignment.encode({
            version: VERSION,
            assignment: byTopic(list),
            userData: Buffer.alloc(0),
          }),
        }));
      },
    };
  };
}

/** Written by another member, perhaps of another version: whatever is not as expected counts for nothing. */
function readOwned(bytes: Buffer): Pick<GroupMember, 'owned' | 'generation'> {
  try {
    const { partitions, generation } = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
    const owned = (Array.isArray(partitions) ? partitions : []).filter(isTopicPartition);
    return { owned, generation: typeof generation === 'number' ? generation : 0 };
  } catch {
    return { owned: [], generation: 0 };
  }
}

function isTopicPartition(value: unknown): value is TopicPartition {
  if (typeof value !== 'object' || value === null) return false;
  const { topic, partition } = value as Record<string, unknown>;
  return typeof topic === 'string' && Number.isInteger(partition);
}

/** `{ topic: [partition, …] }` */
export function byTopic(list: readonly TopicPartition[]): Record<string, number[]> {
  const topics: Record<string, number[]> = Object.create(null);
  for (const { topic, partition } of list) {
    const partitions = topics[topic] ?? [];
    partitions.push(partition);
    topics[topic] = partitions;
  }
  return topics;
}
