/** Single questions to a cluster, each over a connection of its own. */
import type { Admin, Kafka } from 'kafkajs';
import type { PartitionOffset } from '../port.js';
import { kafkaFailure } from './failures.js';

/** Number of partitions that the topic has, which may differ from what was asked for. Rejects with KafkaFailure. */
export function ensureTopic(
  kafka: Kafka,
  topic: string,
  numPartitions: number,
  settings: Readonly<Record<string, string>>,
): Promise<number> {
  return withAdmin(kafka, `making topic ${topic}`, async (admin) => {
    if (!(await admin.listTopics()).includes(topic)) {
      const entries = Object.entries({ 'cleanup.policy': 'delete', ...settings });
      const configEntries = entries.map(([name, value]) => ({ name, value }));
      // -1: as many replicas as the brokers' own default says. One that is there by now is no error.
      await admin.createTopics({ topics: [{ topic, numPartitions, replicationFactor: -1, configEntries }] });
    }
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics[0]?.partitions.length ?? 0;
  });
}

/** What the group has committed, with metadata. Rejects with KafkaFailure. */
export function committedOffsets(
  kafka: Kafka,
  groupId: string,
  topics: readonly string[] | 'any',
): Promise<PartitionOffset[]> {
  return withAdmin(kafka, `reading the offsets of group ${groupId}`, async (admin) => {
    if (topics.length === 0) return [];
    const answers = await admin.fetchOffsets(topics === 'any' ? { groupId } : { groupId, topics: [...topics] });
    return answers.flatMap(({ topic, partitions }) =>
      partitions.flatMap(({ partition, offset, metadata }) =>
        Number(offset) < 0 ? [] : [{ topic, partition, offset: Number(offset), ...(metadata ? { metadata } : {}) }],
      ),
    );
  });
}

/** Number of partitions by topic, of all that this user may see. Rejects with KafkaFailure. */
export function topicPartitions(kafka: Kafka): Promise<ReadonlyMap<string, number>> {
  return withAdmin(kafka, 'listing topics', async (admin) => {
    const { topics } = await admin.fetchTopicMetadata();
    return new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
  });
}

async function withAdmin<T>(kafka: Kafka, doing: string, ask: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    return await ask(admin);
  } catch (error) {
    throw kafkaFailure(error, doing);
  } finally {
    // It may never have been connected.
    await admin.disconnect().catch(() => undefined);
  }
}
