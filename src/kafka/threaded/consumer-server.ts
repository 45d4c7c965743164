/** The thread's part of a consumer: does what it is ordered to, and tells what comes. */
import type { MessagePort } from 'node:worker_threads';
import { partitionKey } from '../assignment.js';
import type { Allocate } from '../pack.js';
import {
  type Assigned,
  type ConsumerHandlers,
  type KafkaConsumer,
  KafkaFailure,
  type MessageBatch,
  type PartitionOffset,
  type TopicPartition,
} from '../port.js';
import { fromPlain, isPlainError, type PlainError, toPlain } from './errors.js';
import { MemoryPool } from './memory-pool.js';
import { type Begins, memoryOf, type Order, type Told } from './messages.js';

type OnMessage = (level: 'info' | 'warn' | 'error', text: string) => void;

/** Makes the consumer. */
type Create = (onMessage: OnMessage, allocate: Allocate) => KafkaConsumer;

/** Bytes on their way that were not handed on yet; while it is more, nothing is fetched. */
const MAX_UNDERWAY = 16 * 2 ** 20;

/** Serves the port until `stop` is ordered. */
export function serveConsumer(port: MessagePort, create: Create): void {
  const server = new ConsumerServer(port, create);
  port.on('message', (order: Order) => server.obey(order));
}

class ConsumerServer implements ConsumerHandlers {
  readonly #port: MessagePort;
  readonly #pool = new MemoryPool();
  readonly #consumer: KafkaConsumer;
  /** Counts what was revoked. */
  #generation = 0;
  #asked = 0;
  readonly #begins = new Map<number, (offsets: Begins) => void>();
  #assigned: readonly TopicPartition[] = [];
  /** Partitions that should give nothing. */
  readonly #unwanted = new Set<string>();
  /** Those that really are paused: by order, or since too much is underway. */
  readonly #paused = new Map<string, TopicPartition>();
  #underway = 0;

  constructor(port: MessagePort, create: Create) {
    this.#port = port;
    this.#consumer = create((level, text) => this.#tell({ type: 'says', level, text }), this.#pool.take);
  }

  obey(order: Order): void {
    switch (order.type) {
      case 'start':
        void this.#start();
        break;
      case 'stop':
        void this.#stop();
        break;
      case 'pause':
        // Done when the next batch comes: what is being fetched now would be thrown away.
        if (this.#isNow(order)) for (const one of order.partitions) this.#unwanted.add(partitionKey(one));
        break;
      case 'resume':
        if (this.#isNow(order)) for (const one of order.partitions) this.#unwanted.delete(partitionKey(one));
        this.#resume();
        break;
      case 'taken':
        this.#underway -= order.bytes;
        this.#resume();
        break;
      case 'memory':
        this.#pool.put(order.memory);
        break;
      case 'begin':
        this.#begins.get(order.id)?.(order.offsets);
        break;
      case 'commit':
        void this.#answer(order.id, async () => {
          await this.#commit(order);
          return 0;
        });
        break;
      case 'members':
        void this.#answer(order.id, () => this.#consumer.members());
        break;
    }
  }

  onBatch(batch: MessageBatch): void {
    const { topic, partition } = batch;
    this.#underway += batch.bytes.length;
    this.#port.postMessage({ type: 'batch', batch } satisfies Told, memoryOf(batch));
    if (this.#underway > MAX_UNDERWAY) this.#pause(this.#assigned);
    else if (this.#unwanted.has(partitionKey(batch))) this.#pause([{ topic, partition }]);
  }

  onEnd(partition: TopicPartition, offset: number): void {
    this.#tell({ type: 'end', partition, offset });
  }

  async onAssigned(assigned: readonly Assigned[]): Promise<readonly PartitionOffset[]> {
    this.#assigned = assigned.map(({ topic, partition }) => ({ topic, partition }));
    const id = ++this.#asked;
    this.#tell({ type: 'assigned', id, assigned });
    const offsets = await new Promise<Begins>((resolve) => this.#begins.set(id, resolve));
    this.#begins.delete(id);
    if (isPlainError(offsets)) throw fromPlain(offsets);
    return offsets;
  }

  onRevoked(): void {
    this.#generation++;
    this.#assigned = [];
    this.#unwanted.clear();
    this.#paused.clear();
    this.#tell({ type: 'revoked' });
  }

  onCrash(error: Error): void {
    this.#tell({ type: 'crash', error: toPlain(error) });
  }

  async #start(): Promise<void> {
    try {
      await this.#consumer.start(this);
      this.#tell({ type: 'started', error: undefined });
    } catch (error) {
      this.#tell({ type: 'started', error: toPlain(error) });
    }
  }

  async #stop(): Promise<void> {
    let failure: PlainError | undefined;
    try {
      await this.#consumer.stop();
    } catch (error) {
      failure = toPlain(error);
    }
    this.#tell({ type: 'stopped', error: failure });
    this.#port.close();
  }

  async #commit({ generation, offsets }: Extract<Order, { type: 'commit' }>): Promise<void> {
    if (generation !== this.#generation) {
      throw new KafkaFailure('committing offsets: the group was rebalanced meanwhile', false);
    }
    await this.#consumer.commit(offsets);
  }

  async #answer(id: number, ask: () => Promise<number>): Promise<void> {
    try {
      this.#tell({ type: 'answer', id, value: await ask() });
    } catch (error) {
      this.#tell({ type: 'answer', id, value: toPlain(error) });
    }
  }

  #isNow({ generation }: { readonly generation: number }): boolean {
    return generation === this.#generation;
  }

  #pause(partitions: readonly TopicPartition[]): void {
    const fresh = partitions.filter((one) => !this.#paused.has(partitionKey(one)));
    if (fresh.length === 0) return;
    for (const one of fresh) this.#paused.set(partitionKey(one), one);
    this.#consumer.pause(fresh);
  }

  #resume(): void {
    if (this.#paused.size === 0 || this.#underway > MAX_UNDERWAY / 2) return;
    const ready = [...this.#paused].filter(([key]) => !this.#unwanted.has(key)).map(([, one]) => one);
    if (ready.length === 0) return;
    for (const one of ready) this.#paused.delete(partitionKey(one));
    this.#consumer.resume(ready);
  }

  #tell(told: Told): void {
    this.#port.postMessage(told);
  }
}
