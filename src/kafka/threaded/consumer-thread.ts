/** A consumer in a thread of its own, as whoever uses it sees it: the same port, the same order of calls, the same errors. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { asError } from '../../model/error-text.js';
import {
  type Assigned,
  type ConsumerHandlers,
  type KafkaConsumer,
  KafkaFailure,
  type MessageBatch,
  type PartitionOffset,
  type TopicPartition,
} from '../port.js';
import { fromPlain, isPlainError, toPlain } from './errors.js';
import { isPooled } from './memory-pool.js';
import type { Begins, Order, SentBatch, ThreadData, Told } from './messages.js';

const ENTRY = new URL('./consumer-worker.js', import.meta.url);
/** Megabytes of the thread's young generation: one fetch as objects, which are garbage before the next. */
const YOUNG_MB = 48;

type OnMessage = (level: 'info' | 'warn' | 'error', text: string) => void;

/** What a Worker has; tests put a port in its place. */
export interface ConsumerWorker {
  on(event: 'message', listener: (told: Told) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: (code: number) => void): unknown;
  postMessage(order: Order, transfer?: readonly ArrayBuffer[]): void;
  terminate(): Promise<unknown>;
}

/** Whether a second thread can run beside this one, and its code is where it should be: a bundler may have left it out. */
export function canConsumeInThread(): boolean {
  return availableParallelism() > 1 && existsSync(fileURLToPath(ENTRY));
}

export function startWorker(data: ThreadData): ConsumerWorker {
  return new Worker(ENTRY, {
    name: 'kafka',
    workerData: data,
    // Flags of the process are not for it: --input-type, --import and the like speak of another entry.
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
}

interface Question {
  readonly resolve: (value: number) => void;
  readonly reject: (error: Error) => void;
}

/** The thread is started with `start`, and ended with `stop`. One that ends by itself is a crash of the consumer. */
export class ThreadedConsumer implements KafkaConsumer {
  readonly #startWorker: () => ConsumerWorker;
  readonly #onMessage: OnMessage;
  #worker: ConsumerWorker | undefined;
  #handlers: ConsumerHandlers | undefined;
  #starting: Question | undefined;
  #stopping: Promise<void> | undefined;
  #endStop: (error: Error | undefined) => void = () => {};
  readonly #questions = new Map<number, Question>();
  #asked = 0;
  /** Counts what was revoked: orders that were given for an earlier assignment are not done to a later one. */
  #generation = 0;
  #assigned = false;
  /** Set when nothing more will come. */
  #over: Error | undefined;

  constructor(start: () => ConsumerWorker, onMessage: OnMessage) {
    this.#startWorker = start;
    this.#onMessage = onMessage;
  }

  start(handlers: ConsumerHandlers): Promise<void> {
    if (this.#worker !== undefined) throw new Error('a consumer is started once');
    this.#handlers = handlers;
    const worker = this.#startWorker();
    this.#worker = worker;
    worker.on('message', (told) => this.#hear(told));
    worker.on('error', (error) => this.#ended(error));
    worker.on('exit', (code) => this.#ended(new Error(`it ended with ${code}`)));
    return new Promise((resolve, reject) => {
      this.#starting = { resolve: () => resolve(), reject };
      this.#order({ type: 'start' });
    });
  }

  pause(partitions: readonly TopicPartition[]): void {
    this.#order({ type: 'pause', generation: this.#generation, partitions });
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.#order({ type: 'resume', generation: this.#generation, partitions });
  }

  async commit(offsets: readonly PartitionOffset[]): Promise<void> {
    if (offsets.length === 0) return;
    const generation = this.#generation;
    await this.#ask((id) => ({ type: 'commit', id, generation, offsets }));
  }

  async members(): Promise<number> {
    if (this.#worker === undefined) return 0;
    return this.#ask((id) => ({ type: 'members', id }));
  }

  async stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    await this.#stopping;
  }

  async #stop(): Promise<void> {
    if (this.#worker === undefined) return;
    const ended = new Promise<Error | undefined>((resolve) => {
      this.#endStop = resolve;
    });
    this.#order({ type: 'stop' });
    const error = this.#over === undefined ? await ended : undefined;
    this.#fail(new KafkaFailure('the consumer was stopped', false));
    await this.#worker.terminate();
    if (error !== undefined) throw error;
  }

  #hear(told: Told): void {
    switch (told.type) {
      case 'started':
        if (told.error === undefined) this.#starting?.resolve(0);
        else this.#starting?.reject(fromPlain(told.error));
        this.#starting = undefined;
        break;
      case 'stopped':
        this.#endStop(told.error === undefined ? undefined : fromPlain(told.error));
        break;
      case 'answer':
        this.#take(told);
        break;
      case 'says':
        this.#onMessage(told.level, told.text);
        break;
      default:
        if (this.#over === undefined) this.#guard(() => this.#hand(told));
    }
  }

  /** What handlers are called for, in the order in which the thread told it. */
  #hand(told: Exclude<Told, { type: 'started' | 'stopped' | 'answer' | 'says' }>): void {
    const handlers = this.#handlers;
    switch (told.type) {
      case 'batch':
        this.#order({ type: 'taken', bytes: told.batch.bytes.length });
        handlers?.onBatch(this.#arrived(told.batch));
        break;
      case 'end':
        handlers?.onEnd(told.partition, told.offset);
        break;
      case 'assigned':
        this.#assigned = true;
        void this.#begin(told.id, told.assigned);
        break;
      case 'revoked':
        this.#generation++;
        this.#assigned = false;
        handlers?.onRevoked();
        break;
      case 'crash':
        handlers?.onCrash(fromPlain(told.error));
        break;
    }
  }

  async #begin(id: number, assigned: readonly Assigned[]): Promise<void> {
    let offsets: Begins;
    try {
      offsets = (await this.#handlers?.onAssigned(assigned)) ?? [];
    } catch (error) {
      // The thread tells of it as of a crash.
      offsets = toPlain(error);
    }
    this.#order({ type: 'begin', id, offsets });
  }

  /** A handler that throws is a mistake of this program; going on would lose what it did not take. */
  #guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#order({ type: 'stop' });
      this.#crash(asError(error));
    }
  }

  /** The thread is no more; that is as it should be when it was told to stop. */
  #ended(error: Error): void {
    this.#endStop(undefined);
    if (this.#stopping !== undefined || this.#over !== undefined) return;
    const failure = new KafkaFailure(`the thread of the Kafka consumer failed: ${error.message}`, false, {
      cause: error,
    });
    if (this.#starting === undefined) this.#crash(failure);
    else this.#fail(failure);
  }

  #crash(error: Error): void {
    this.#fail(new KafkaFailure('the consumer has failed', false, { cause: error }));
    if (this.#assigned) this.#handlers?.onRevoked();
    this.#handlers?.onCrash(error);
  }

  /** Nothing more comes: whoever waits is told so. */
  #fail(error: Error): void {
    this.#over ??= error;
    this.#starting?.reject(error);
    this.#starting = undefined;
    for (const { reject } of this.#questions.values()) reject(error);
    this.#questions.clear();
  }

  #ask(order: (id: number) => Order): Promise<number> {
    if (this.#worker === undefined) throw new Error('the consumer was not started');
    if (this.#over !== undefined) throw this.#over;
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#questions.set(id, { resolve, reject });
      this.#order(order(id));
    });
  }

  #take({ id, value }: Extract<Told, { type: 'answer' }>): void {
    const question = this.#questions.get(id);
    this.#questions.delete(id);
    if (isPlainError(value)) question?.reject(fromPlain(value));
    else question?.resolve(value);
  }

  #arrived({ bytes, ...rest }: SentBatch): MessageBatch {
    const { buffer } = bytes;
    return {
      ...rest,
      bytes: Buffer.from(buffer, bytes.byteOffset, bytes.length),
      ...(isPooled(buffer) ? { release: () => this.#order({ type: 'memory', memory: buffer }, [buffer]) } : {}),
    };
  }

  #order(order: Order, memory: ArrayBuffer[] = []): void {
    this.#worker?.postMessage(order, memory);
  }
}
