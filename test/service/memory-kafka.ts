/** A Kafka in memory for tests: topics with partitions, one consumer at a time, commits that outlive it. */
import type {
  Assigned,
  ConsumerHandlers,
  KafkaConsumer,
  PartitionOffset,
  TopicPartition,
} from '../../src/kafka/port.js';
import { keyOf, type MemoryMessage, MemoryReader } from './memory-reader.js';

export class MemoryKafka {
  readonly topics = new Map<string, MemoryMessage[][]>();
  readonly committed = new Map<string, PartitionOffset>();
  /** Every commit that was made, in order. */
  readonly commits: PartitionOffset[][] = [];
  commitFails = false;

  create(topic: string, partitions: number): void {
    this.topics.set(
      topic,
      Array.from({ length: partitions }, () => []),
    );
  }

  produce(topic: string, partition: number, message: MemoryMessage): void {
    this.topics.get(topic)?.[partition]?.push(message);
  }

  /** What a group would assign to its only member; all partitions unless some are named. */
  assigned(from: 'earliest' | 'latest' = 'earliest', only?: (one: TopicPartition) => boolean): Assigned[] {
    const all: Assigned[] = [];
    for (const [topic, partitions] of this.topics) {
      partitions.forEach((messages, partition) => {
        const committed = this.committed.get(keyOf({ topic, partition }));
        const begin = committed?.offset ?? (from === 'earliest' ? 0 : messages.length);
        all.push({ topic, partition, committed, begin, low: 0, high: messages.length });
      });
    }
    return all.filter(only ?? (() => true));
  }

  consumer(): MemoryConsumer {
    return new MemoryConsumer(this);
  }
}

export class MemoryConsumer extends MemoryReader implements KafkaConsumer {
  readonly #kafka: MemoryKafka;
  #stopped = false;
  memberCount = 1;

  constructor(kafka: MemoryKafka) {
    super();
    this.#kafka = kafka;
  }

  async start(handlers: ConsumerHandlers): Promise<void> {
    this.handlers = handlers;
    await this.assign(this.#kafka.assigned());
  }

  /** A rebalance that gives these. */
  async assign(assigned: readonly Assigned[]): Promise<void> {
    this.revoke();
    this.begin(assigned, (await this.handlers?.onAssigned(assigned)) ?? []);
  }

  async commit(offsets: readonly PartitionOffset[]): Promise<void> {
    if (this.#stopped) throw new Error('the consumer has stopped');
    if (this.#kafka.commitFails) throw new Error('the coordinator is not available');
    this.#kafka.commits.push([...offsets]);
    for (const one of offsets) this.#kafka.committed.set(keyOf(one), one);
  }

  async members(): Promise<number> {
    return this.memberCount;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
  }

  protected messagesOf({ topic, partition }: TopicPartition): readonly MemoryMessage[] {
    return this.#kafka.topics.get(topic)?.[partition] ?? [];
  }

  protected get isOver(): boolean {
    return this.#stopped;
  }
}
