/** What the consumers of a Kafka in memory have in common: where they are in each partition, what is paused, and fetching. */
import type {
  Assigned,
  ConsumerHandlers,
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

interface Position extends TopicPartition {
  offset: number;
}

const NOBODY: Sender = { server: '', cluster: '' };

export abstract class MemoryReader {
  readonly paused = new Set<string>();
  protected handlers: ConsumerHandlers | undefined;
  readonly #positions = new Map<string, Position>();

  protected abstract messagesOf(partition: TopicPartition): readonly MemoryMessage[];

  /** It reads nothing more. */
  protected abstract get isOver(): boolean;

  protected holds(partition: TopicPartition): boolean {
    return this.#positions.has(keyOf(partition));
  }

  /** The group takes all that it gave. */
  revoke(): void {
    if (this.#positions.size > 0) this.handlers?.onRevoked();
    this.#positions.clear();
    this.paused.clear();
  }

  /** Goes on where the handlers said that each begins, or where it was assigned to. */
  protected begin(assigned: readonly Assigned[], begins: readonly PartitionOffset[]): void {
    for (const { topic, partition, begin } of assigned) {
      const given = begins.find((one) => one.topic === topic && one.partition === partition);
      this.#positions.set(keyOf({ topic, partition }), { topic, partition, offset: given?.offset ?? begin });
    }
  }

  /** Hands out up to so many messages of each partition that is not paused; false when all are at their ends. */
  fetch(limit: number): boolean {
    let any = false;
    for (const [key, position] of this.#positions) {
      if (this.isOver) return false;
      const messages = this.messagesOf(position);
      if (position.offset >= messages.length) {
        this.handlers?.onEnd(position, messages.length);
        continue;
      }
      any = true;
      if (this.paused.has(key)) continue;
      const part = messages.slice(position.offset, position.offset + limit);
      this.handlers?.onBatch(batchOf(position, part, messages.length));
      position.offset += part.length;
    }
    return any;
  }

  pause(partitions: readonly TopicPartition[]): void {
    for (const one of partitions) this.paused.add(keyOf(one));
  }

  resume(partitions: readonly TopicPartition[]): void {
    for (const one of partitions) this.paused.delete(keyOf(one));
  }
}

export function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
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
