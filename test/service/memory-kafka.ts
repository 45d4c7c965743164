/** A Kafka in memory for tests: topics with partitions, one consumer at a time, commits that outlive it. */
import type {
  Assigned,
  ConsumerHandlers,
  KafkaConsumer,
  MessageBatch,
  PartitionOffset,
  Sender,
  TopicPartition,
} from '../../src/kafka/port.js';

export interface MemoryMessage {
  readonly value: Buffer;
  readonly sender?: Sender;
  readonly timestampMs?: number;
}

const NOBODY: Sender = { server: '', cluster: '' };

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
        const committed = this.committed.get(`${topic}/${partition}`);
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

export class MemoryConsumer implements KafkaConsumer {
  readonly #kafka: MemoryKafka;
  #handlers: ConsumerHandlers | undefined;
  readonly #positions = new Map<string, { readonly topic: string; readonly partition: number; offset: number }>();
  readonly paused = new Set<string>();
  #stopped = false;
  memberCount = 1;

  constructor(kafka: MemoryKafka) {
    this.#kafka = kafka;
  }

  async start(handlers: ConsumerHandlers): Promise<void> {
    this.#handlers = handlers;
    await this.assign(this.#kafka.assigned());
  }

  /** A rebalance that gives these. */
  async assign(assigned: readonly Assigned[]): Promise<void> {
    if (this.#positions.size > 0) this.#handlers?.onRevoked();
    this.#positions.clear();
    const begins = (await this.#handlers?.onAssigned(assigned)) ?? [];
    for (const { topic, partition, begin } of assigned) {
      const given = begins.find((one) => one.topic === topic && one.partition === partition);
      this.#positions.set(`${topic}/${partition}`, { topic, partition, offset: given?.offset ?? begin });
    }
  }

  /** Fetches up to so many messages from each partition that is not paused; false when all are at their end. */
  fetch(limit: number): boolean {
    let any = false;
    for (const [key, position] of this.#positions) {
      if (this.#stopped) return false;
      const messages = this.#kafka.topics.get(position.topic)?.[position.partition] ?? [];
      if (position.offset >= messages.length) {
        this.#handlers?.onEnd(position, messages.length);
        continue;
      }
      any = true;
      if (this.paused.has(key)) continue;
      const part = messages.slice(position.offset, position.offset + limit);
      this.#handlers?.onBatch(batchOf(position, part, messages.length));
      position.offset += part.length;
    }
    return any;
  }

  pause(partitions: readonly TopicPartition[]): void {
    for (const { topic, partition } of partitions) this.paused.add(`${topic}/${partition}`);
  }

  resume(partitions: readonly TopicPartition[]): void {
    for (const { topic, partition } of partitions) this.paused.delete(`${topic}/${partition}`);
  }

  async commit(offsets: readonly PartitionOffset[]): Promise<void> {
    if (this.#stopped) throw new Error('the consumer has stopped');
    if (this.#kafka.commitFails) throw new Error('the coordinator is not available');
    this.#kafka.commits.push([...offsets]);
    for (const one of offsets) this.#kafka.committed.set(`${one.topic}/${one.partition}`, one);
  }

  async members(): Promise<number> {
    return this.memberCount;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
  }
}

export function batchOf(
  { topic, partition, offset }: { topic: string; partition: number; offset: number },
  messages: readonly MemoryMessage[],
  highWatermark: number,
): MessageBatch {
  const senders: Sender[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  const senderOf = messages.map(({ value, sender = NOBODY }) => {
    starts.push(at);
    at += value.length;
    ends.push(at);
    const known = senders.findIndex((one) => one.server === sender.server && one.cluster === sender.cluster);
    return known < 0 ? senders.push(sender) - 1 : known;
  });
  // Memory of its own, as all batches have it.
  const bytes = Buffer.from(new Uint8Array(Buffer.concat(messages.map(({ value }) => value))).buffer);
  return {
    topic,
    partition,
    bytes,
    // It is used again at once: whoever still reads it finds nothing of what it held.
    release: () => void bytes.fill('X'),
    starts: Int32Array.from(starts),
    ends: Int32Array.from(ends),
    offsets: Float64Array.from(messages, (_, index) => offset + index),
    timestamps: Float64Array.from(messages, ({ timestampMs }) => timestampMs ?? 0),
    senderOf: Uint16Array.from(senderOf),
    senders,
    highWatermark,
  };
}
