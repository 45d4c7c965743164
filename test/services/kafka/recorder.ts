/** Handlers that write down what a consumer hands out. */
import type {
  Assigned,
  ConsumerHandlers,
  MessageBatch,
  PartitionOffset,
  TopicPartition,
} from '../../../src/kafka/port.js';

export interface Got {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly value: string;
  readonly server: string;
  /** Number of the assignment it came under, from 1. */
  readonly assignment: number;
}

export class Recorder implements ConsumerHandlers {
  readonly got: Got[] = [];
  /** Bytes of each value. */
  readonly sizes: number[] = [];
  readonly ends = new Map<string, number>();
  readonly assigned: (readonly Assigned[])[] = [];
  readonly crashes: Error[] = [];
  revoked = 0;
  /** What is wrong with what was called when. */
  readonly mistakes: string[] = [];
  owned = new Set<string>();
  /** Where to begin, as `onAssigned` tells. */
  begin: (assigned: readonly Assigned[]) => readonly PartitionOffset[] = () => [];
  onEach: (batch: MessageBatch) => void = () => {};

  onBatch(batch: MessageBatch): void {
    const { topic, partition, bytes, starts, ends, offsets, senderOf, senders } = batch;
    if (!this.owned.has(`${topic}/${partition}`))
      this.mistakes.push(`a batch of ${topic}/${partition} that is not assigned`);
    offsets.forEach((offset, i) => {
      this.sizes.push((ends[i] ?? 0) - (starts[i] ?? 0));
      this.got.push({
        topic,
        partition,
        offset,
        value: bytes.toString('utf8', starts[i], ends[i]).slice(0, 100),
        server: senders[senderOf[i] ?? -1]?.server ?? 'no sender',
        assignment: this.assigned.length,
      });
    });
    this.onEach(batch);
  }

  onEnd({ topic, partition }: TopicPartition, offset: number): void {
    this.ends.set(`${topic}/${partition}`, offset);
  }

  async onAssigned(partitions: readonly Assigned[]): Promise<readonly PartitionOffset[]> {
    this.assigned.push(partitions);
    this.owned = new Set(partitions.map(({ topic, partition }) => `${topic}/${partition}`));
    return this.begin(partitions);
  }

  onRevoked(): void {
    this.revoked++;
    this.owned.clear();
  }

  onCrash(error: Error): void {
    this.crashes.push(error);
  }

  values(): string[] {
    return this.got.map(({ value }) => value);
  }
}
