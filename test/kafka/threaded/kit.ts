/** A consumer behind real messages, but in this thread: what a worker would be, and a consumer that does what it is told. */
import { EventEmitter } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import type { Allocate } from '../../../src/kafka/pack.js';
import type {
  Assigned,
  ConsumerHandlers,
  KafkaConsumer,
  MessageBatch,
  PartitionOffset,
  TopicPartition,
} from '../../../src/kafka/port.js';
import { serveConsumer } from '../../../src/kafka/threaded/consumer-server.js';
import { type ConsumerWorker, ThreadedConsumer } from '../../../src/kafka/threaded/consumer-thread.js';
import type { Order, Told } from '../../../src/kafka/threaded/messages.js';

type OnMessage = (level: 'info' | 'warn' | 'error', text: string) => void;

/** The consumer in the thread: `handlers` are there once it was started. */
export class ScriptedConsumer implements KafkaConsumer {
  handlers: ConsumerHandlers | undefined;
  readonly calls: unknown[] = [];
  failure: Error | undefined;

  constructor(
    readonly say: OnMessage,
    readonly allocate: Allocate,
  ) {}

  get told(): ConsumerHandlers {
    if (this.handlers === undefined) throw new Error('it was not started');
    return this.handlers;
  }

  async start(handlers: ConsumerHandlers): Promise<void> {
    this.#fail();
    this.handlers = handlers;
  }

  pause(partitions: readonly TopicPartition[]): void {
    this.calls.push(['pause', ...partitions.map(({ partition }) => partition)]);
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.calls.push(['resume', ...partitions.map(({ partition }) => partition)]);
  }

  async commit(offsets: readonly PartitionOffset[]): Promise<void> {
    this.#fail();
    this.calls.push(['commit', ...offsets.map(({ offset }) => offset)]);
  }

  async members(): Promise<number> {
    return 3;
  }

  async stop(): Promise<void> {
    this.calls.push(['stop']);
    this.#fail();
  }

  #fail(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}

export class LocalWorker extends EventEmitter implements ConsumerWorker {
  readonly inner: ScriptedConsumer;
  terminated = false;
  readonly #channel = new MessageChannel();

  constructor() {
    super();
    let inner: ScriptedConsumer | undefined;
    serveConsumer(this.#channel.port2, (onMessage, allocate) => {
      inner = new ScriptedConsumer(onMessage, allocate);
      return inner;
    });
    if (inner === undefined) throw new Error('no consumer was made');
    this.inner = inner;
    this.#channel.port1.on('message', (told: Told) => this.emit('message', told));
    this.#channel.port1.on('close', () => this.emit('exit', 0));
  }

  postMessage(order: Order, transfer: readonly ArrayBuffer[] = []): void {
    this.#channel.port1.postMessage(order, transfer);
  }

  async terminate(): Promise<void> {
    this.terminated = true;
    this.#channel.port1.close();
  }
}

/** Writes down what is called, in order. */
export class Handlers implements ConsumerHandlers {
  readonly calls: string[] = [];
  readonly batches: MessageBatch[] = [];
  onEach: (batch: MessageBatch) => void = () => {};
  begin: (assigned: readonly Assigned[]) => Promise<readonly PartitionOffset[]> = async () => [];
  crash: Error | undefined;

  onBatch(batch: MessageBatch): void {
    this.calls.push(`batch ${batch.partition}`);
    this.batches.push(batch);
    this.onEach(batch);
  }

  onEnd({ partition }: TopicPartition, offset: number): void {
    this.calls.push(`end ${partition} ${offset}`);
  }

  onAssigned(assigned: readonly Assigned[]): Promise<readonly PartitionOffset[]> {
    this.calls.push(`assigned ${assigned.map(({ partition }) => partition)}`);
    return this.begin(assigned);
  }

  onRevoked(): void {
    this.calls.push('revoked');
  }

  onCrash(error: Error): void {
    this.calls.push(`crash ${error.message}`);
    this.crash = error;
  }
}

export interface Threaded {
  readonly consumer: ThreadedConsumer;
  readonly handlers: Handlers;
  readonly worker: LocalWorker;
  readonly inner: ScriptedConsumer;
  readonly said: string[];
}

export function threaded(): Threaded {
  const worker = new LocalWorker();
  const said: string[] = [];
  const consumer = new ThreadedConsumer(
    () => worker,
    (level, text) => said.push(`${level} ${text}`),
  );
  return { consumer, handlers: new Handlers(), worker, inner: worker.inner, said };
}

export async function started(): Promise<Threaded> {
  const one = threaded();
  await one.consumer.start(one.handlers);
  return one;
}

export const assigned = (...partitions: number[]): Assigned[] =>
  partitions.map((partition) => ({ topic: 'audit', partition, committed: undefined, begin: 0, low: 0, high: 9 }));

export function batch(partition: number, value = 'x', size = value.length): MessageBatch {
  return {
    topic: 'audit',
    partition,
    bytes: ownMemory(value, size),
    starts: Int32Array.of(0),
    ends: Int32Array.of(value.length),
    offsets: Float64Array.of(7),
    timestamps: Float64Array.of(1_700_000_000_000),
    senderOf: Uint16Array.of(0),
    senders: [{ server: 'cp-1', cluster: 'prod' }],
    highWatermark: 12,
  };
}

/** As packed: not of a pool, so that it can move. */
function ownMemory(value: string, size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  bytes.write(value);
  return bytes;
}
