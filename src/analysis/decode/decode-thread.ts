/** A thread that decodes, as the reading thread sees it: started at once, ended by `close`. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { InputRef } from '../../model/origin.js';
import { type Arrived, BatchReader } from './batch-reader.js';
import type { Answer, Order } from './messages.js';

const ENTRY = new URL('./decode-worker.js', import.meta.url);
/** Megabytes of the thread's young generation: decoding leaves nothing behind that would need more. */
const YOUNG_MB = 12;

/** Whoever reads an input hears of it here. */
export interface ChannelListener {
  batch(arrived: Arrived): void;
  taken(pieces: number): void;
  closed(): void;
  failed(error: Error): void;
}

/** Whether the thread's code is where it should be: a bundler may have left it out. */
export function canDecodeInThread(): boolean {
  return existsSync(fileURLToPath(ENTRY));
}

/** What a Worker has; tests put a port in its place. */
export interface DecodeWorker {
  on(event: 'message', listener: (answer: Answer) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: (code: number) => void): unknown;
  postMessage(order: Order, transfer: readonly ArrayBuffer[]): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

export function startWorker(entry: URL = ENTRY): DecodeWorker {
  // Flags of the process are not for it: --input-type, --import and the like speak of another entry.
  return new Worker(entry, { name: 'decode', execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
}

export class DecodeThread {
  readonly #worker: DecodeWorker;
  readonly #tables = new BatchReader();
  readonly #channels = new Map<number, ChannelListener>();
  #opened = 0;
  readonly #waiters = new Set<(error: Error) => void>();
  #error: Error | undefined;
  #closed = false;

  constructor(worker: DecodeWorker = startWorker()) {
    this.#worker = worker;
    worker.on('message', (answer) => this.#take(answer));
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', (code) => this.#fail(new Error(`the thread that decodes the inputs ended with ${code}`)));
    // Nobody waits for it but in `waiting`.
    worker.unref();
  }

  /** Begins to decode an input; gives the number of its channel. */
  open(input: InputRef, compressed: boolean, listener: ChannelListener): number {
    const channel = this.#opened;
    this.#opened += 1;
    this.#channels.set(channel, listener);
    this.send({ type: 'open', channel, input, compressed });
    if (this.#error !== undefined) listener.failed(this.#error);
    return channel;
  }

  send(order: Order, memories: ArrayBuffer[] = []): void {
    if (!this.#closed && this.#error === undefined) this.#worker.postMessage(order, memories);
  }

  /** Waits for what an answer brings about, and keeps the process alive meanwhile. Throws when the thread fails. */
  async waiting(answer: Promise<void>): Promise<void> {
    if (this.#error !== undefined) throw this.#error;
    let fail: (error: Error) => void = () => {};
    const failure = new Promise<never>((_, reject) => {
      fail = reject;
    });
    this.#waiters.add(fail);
    if (this.#waiters.size === 1) this.#worker.ref();
    try {
      await Promise.race([answer, failure]);
    } finally {
      this.#waiters.delete(fail);
      if (this.#waiters.size === 0) this.#worker.unref();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker.terminate();
  }

  #take(answer: Answer): void {
    const listener = this.#channels.get(answer.channel);
    switch (answer.type) {
      case 'batch': {
        const arrived = this.#tables.arrive(answer);
        listener?.batch(arrived);
        break;
      }
      case 'taken':
        listener?.taken(answer.pieces);
        break;
      case 'closed':
        this.#channels.delete(answer.channel);
        listener?.closed();
        break;
    }
  }

  #fail(error: Error): void {
    if (this.#closed || this.#error !== undefined) return;
    this.#error = error;
    for (const listener of this.#channels.values()) listener.failed(error);
    for (const fail of this.#waiters) fail(error);
  }
}
