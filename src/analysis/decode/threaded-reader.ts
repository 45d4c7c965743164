/** Reads one input and has it decoded by another thread, some batches ahead of whoever takes the records. */
import type { InputRef } from '../../model/origin.js';
import type { ProblemReason, Rec } from '../../model/record.js';
import { readSource, type Source } from '../../sources/index.js';
import type { RecordReader } from '../record-reader.js';
import type { Reread } from './batch-event.js';
import { type Arrived, recordsOf } from './batch-reader.js';
import type { DecodeThread } from './decode-thread.js';
import type { Memories, Memory } from './memories.js';
import type { Step } from './messages.js';

/** Pieces of raw bytes that wait to be decoded. */
const PIECES = 2;
/** Smaller chunks are copied: Node.js keeps them in memory that they share. */
const SMALL = 16 * 1024;

export class ThreadedReader implements RecordReader {
  bytes = 0;
  records = 0;
  readonly #thread: DecodeThread;
  readonly #memories: Memories;
  readonly #ahead: number;
  readonly #reread: Reread;
  readonly #onBytes: (count: number) => void;
  /** Problems of reading, and those that the other thread counted. */
  readonly #unread = new Map<ProblemReason, number>();
  #decoded: ReadonlyMap<ProblemReason, number> = new Map();
  readonly #arrived: Arrived[] = [];
  /** The memories of the batches that arrived and that will arrive, in their order. */
  readonly #given: Memory[] = [];
  /** The step of the oldest batch that is next. */
  #step = 0;
  #chunks: AsyncIterator<Buffer> | undefined;
  #channel = -1;
  #pieces = 0;
  #error: Error | undefined;
  #ended = false;
  /** The other thread is done with the input, and with the memory that it was given. */
  #isLetGo = false;
  /** One for whoever waits for a batch, one for the sending of bytes. */
  #wakeTaker: () => void = () => {};
  #wakeSender: () => void = () => {};

  constructor(
    readonly input: InputRef,
    readonly source: Source,
    thread: DecodeThread,
    memories: Memories,
    /** Batches that may wait to be taken. */
    ahead: number,
    reread: Reread,
    onBytes: (count: number) => void = () => {},
  ) {
    this.#thread = thread;
    this.#memories = memories;
    this.#ahead = ahead;
    this.#reread = reread;
    this.#onBytes = onBytes;
  }

  /** The records given before are done with: their bytes may become others. */
  async next(): Promise<Rec[] | undefined> {
    this.#dropTaken();
    if (this.#ended) return undefined;
    this.#start();
    while (this.#arrived.length === 0 && this.#error === undefined && !this.#ended) {
      await this.#thread.waiting(
        new Promise<void>((resolve) => {
          this.#wakeTaker = resolve;
        }),
      );
    }
    if (this.#error !== undefined) throw this.#error;
    return this.#take();
  }

  idle(): Rec[] {
    return [];
  }

  async close(): Promise<void> {
    if (!this.#ended && this.#chunks !== undefined) this.#thread.send({ type: 'close', channel: this.#channel });
    this.#ended = true;
    if (this.#isLetGo) this.#giveBack();
    this.#wakeSender();
    this.#wakeTaker();
    await this.#chunks?.return?.();
  }

  get problems(): ReadonlyMap<ProblemReason, number> {
    const all = new Map(this.#decoded);
    for (const [reason, count] of this.#unread) all.set(reason, (all.get(reason) ?? 0) + count);
    return all;
  }

  /** The records of the next step of the oldest batch. */
  #take(): Rec[] | undefined {
    const [arrived] = this.#arrived;
    const [memory] = this.#given;
    const step: Step | undefined = arrived?.batch.steps[this.#step];
    if (arrived === undefined || memory === undefined || step === undefined || this.#ended) return undefined;
    this.#step += 1;
    this.bytes = step.bytes;
    this.records = step.records;
    if (step.problems !== undefined) this.#decoded = step.problems;
    return recordsOf(step, arrived, memory, this.#reread);
  }

  /** Lets go of the oldest batch when all of it was taken. */
  #dropTaken(): void {
    const [arrived] = this.#arrived;
    if (arrived === undefined || this.#step < arrived.batch.steps.length) return;
    this.#arrived.shift();
    this.#step = 0;
    const memory = this.#given.shift();
    if (memory !== undefined) this.#memories.release(memory);
    if (arrived.batch.last) {
      this.#ended = true;
      this.#giveBack();
    } else if (!this.#ended) this.#giveMemory();
  }

  #giveMemory(): void {
    const memory = this.#memories.take();
    this.#given.push(memory);
    this.#thread.send({ type: 'memory', channel: this.#channel, memory: memory.bytes });
  }

  /** Until here the other thread may write into memory that it was given. */
  #giveBack(): void {
    for (const memory of this.#given.splice(0)) this.#memories.release(memory);
    this.#arrived.length = 0;
  }

  #start(): void {
    if (this.#chunks !== undefined) return;
    const problem = (reason: ProblemReason) => {
      this.#unread.set(reason, (this.#unread.get(reason) ?? 0) + 1);
    };
    this.#chunks = readSource(this.source, problem);
    this.#channel = this.#thread.open(this.input, {
      batch: (arrived) => {
        this.#arrived.push(arrived);
        this.#taken(arrived.batch.pieces);
        this.#wakeTaker();
      },
      taken: (pieces) => this.#taken(pieces),
      closed: () => {
        this.#isLetGo = true;
        if (this.#ended) this.#giveBack();
      },
      failed: (error) => this.#fail(error),
    });
    for (let count = 0; count < this.#ahead; count += 1) this.#giveMemory();
    this.#sendAll(this.#chunks).catch((error: Error) => this.#fail(error));
  }

  async #sendAll(chunks: AsyncIterator<Buffer>): Promise<void> {
    for (;;) {
      while (this.#pieces >= PIECES && !this.#ended) {
        await new Promise<void>((resolve) => {
          this.#wakeSender = resolve;
        });
      }
      if (this.#ended) return;
      const { value: chunk, done } = await chunks.next();
      if (this.#ended) return;
      if (done === true) break;
      this.#onBytes(chunk.length);
      this.#pieces += 1;
      const bytes = transferable(chunk);
      this.#thread.send({ type: 'bytes', channel: this.#channel, bytes }, [bytes]);
    }
    this.#thread.send({ type: 'end', channel: this.#channel });
  }

  #taken(pieces: number): void {
    this.#pieces -= pieces;
    this.#wakeSender();
  }

  #fail(error: Error): void {
    this.#error = error;
    this.#wakeTaker();
  }
}

/** The chunk's own memory when it holds nothing else, as that of files does; else a copy. */
function transferable(chunk: Buffer): ArrayBuffer {
  const { buffer, length } = chunk;
  if (length >= SMALL && length === buffer.byteLength && buffer instanceof ArrayBuffer) return buffer;
  const memory = new ArrayBuffer(length);
  new Uint8Array(memory).set(chunk);
  return memory;
}
