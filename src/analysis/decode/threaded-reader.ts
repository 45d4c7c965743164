/** Reads one input and has it decoded by another thread, some batches ahead of whoever takes the records. */

import type { Reread } from '../../correlate/requests/recent-events.js';
import { isGzip, type SenderName } from '../../formats/index.js';
import type { InputRef } from '../../model/origin.js';
import type { ProblemReason, Rec } from '../../model/record.js';
import { readSource, type Source } from '../../sources/index.js';
import { InputParts } from '../input-parts.js';
import type { RecordReader, Records } from '../record-reader.js';
import type { Arrived } from './batch-reader.js';
import { BatchRecords } from './batch-records.js';
import type { DecodeThread } from './decode-thread.js';
import { isUsualMemory } from './event-columns.js';
import { Gathering } from './gathering.js';
import { type Memories, type Memory, NO_MEMORY } from './memories.js';
import { PlainFile } from './plain-file.js';

/** Pieces of a compressed input that wait to be decoded. */
const PIECES = 2;

export interface ThreadedReaderOptions {
  readonly thread: DecodeThread;
  readonly memories: Memories;
  readonly reread: Reread;
  /** Batches that may wait to be taken. */
  readonly ahead: number;
  readonly onBytes: ((count: number) => void) | undefined;
}

export class ThreadedReader implements RecordReader {
  bytes = 0;
  records = 0;
  inputs: readonly InputRef[] | undefined;
  readonly #parts: InputParts;
  readonly #senders: SenderName[] = [];
  readonly #options: ThreadedReaderOptions;
  /** Problems of reading, and those that the other thread counted. */
  readonly #unread = new Map<ProblemReason, number>();
  #decoded: ReadonlyMap<ProblemReason, number> = new Map();
  readonly #arrived: Arrived[] = [];
  /** The memories of the batches that arrived and that will arrive, in their order. */
  readonly #given: Memory[] = [];
  /** The oldest batch was given out. */
  #isTaken = false;
  #chunks: AsyncIterator<Buffer> | undefined;
  readonly #gathering: Gathering;
  /** -1 until the first bytes were seen. */
  #channel = -1;
  #compressed = false;
  /** What content is read from straight into its memory. */
  #file: PlainFile | undefined;
  #isStarted = false;
  #pieces = 0;
  #error: Error | undefined;
  #ended = false;
  /** The other thread is done with the input, and with the memory that it was given. */
  #isLetGo = false;
  #isGivenBack = false;
  /** One for whoever waits for a batch, one for the sending of bytes. */
  #wakeTaker: () => void = () => {};
  #wakeSender: () => void = () => {};

  constructor(
    readonly input: InputRef,
    readonly source: Source,
    options: ThreadedReaderOptions,
  ) {
    this.#options = options;
    this.#gathering = new Gathering(options.memories, (memory, length) => this.#sendMemory(memory, length));
    this.#parts = new InputParts(input);
  }

  /** The records given before are done with: their bytes may become others. */
  async next(): Promise<Records | undefined> {
    this.#dropTaken();
    if (this.#ended) return undefined;
    this.#start();
    while (this.#arrived.length === 0 && this.#error === undefined && !this.#ended) {
      await this.#options.thread.waiting(
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
    if (this.#channel >= 0 && !this.#isLetGo) this.#options.thread.send({ type: 'close', channel: this.#channel });
    else this.#giveBack();
    this.#ended = true;
    this.#wakeSender();
    this.#wakeTaker();
    // A source that is being read may be silent for long; nobody waits for it.
    void this.#chunks?.return?.().catch((error: Error) => this.#fail(error));
  }

  get problems(): ReadonlyMap<ProblemReason, number> {
    const all = new Map(this.#decoded);
    for (const [reason, count] of this.#unread) all.set(reason, (all.get(reason) ?? 0) + count);
    return all;
  }

  /** The records of the oldest batch. */
  #take(): Records | undefined {
    const [arrived] = this.#arrived;
    if (arrived === undefined || this.#ended) return undefined;
    const { batch } = arrived;
    this.#isTaken = true;
    this.bytes = batch.bytes;
    this.records = batch.records;
    this.#senders.push(...batch.senders);
    this.inputs = this.#parts.of(batch.senderOf, this.#senders);
    if (batch.problems !== undefined) this.#decoded = batch.problems;
    const memory = batch.last ? NO_MEMORY : (this.#given[0] ?? NO_MEMORY);
    memory.filled = batch.length;
    return new BatchRecords(arrived, memory, this.#options.reread);
  }

  /** Lets go of the oldest batch when it was taken. */
  #dropTaken(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    const batch = this.#arrived.shift()?.batch;
    if (batch === undefined) return;
    if (batch.last) {
      this.#ended = true;
      this.#giveBack();
      return;
    }
    const { columns } = batch;
    if (isUsualMemory(columns))
      this.#options.thread.send({ type: 'columns', channel: this.#channel, columns }, [columns]);
    const memory = this.#given.shift();
    if (memory !== undefined) this.#options.memories.release(memory);
    if (this.#ended) return;
    if (this.#file !== undefined) this.#readAhead(this.#file);
    else if (this.#compressed) this.#giveMemory();
    else if (this.#given.length === 0) this.#gathering.handOver();
    this.#wakeSender();
  }

  /** Not before the other thread has stopped to write into what it was given. */
  #giveBack(): void {
    this.#closeFile();
    if (this.#isStarted && !this.#isGivenBack) this.#options.memories.readers -= 1;
    this.#isGivenBack = true;
    for (const memory of this.#given.splice(0)) this.#options.memories.release(memory);
    this.#arrived.length = 0;
  }

  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#options.memories.readers += 1;
    this.#file = PlainFile.open(this.source, this.#problem);
    if (this.#file !== undefined) {
      this.#open();
      this.#readAhead(this.#file);
      return;
    }
    this.#chunks = readSource(this.source, this.#problem);
    this.#sendAll(this.#chunks)
      .catch((error: Error) => this.#fail(error))
      .finally(() => this.#gathering.drop());
  }

  /** Reads as many batches as may wait. */
  #readAhead(file: PlainFile): void {
    while (this.#given.length < this.#ahead()) {
      const memory = this.#options.memories.take();
      const length = file.read(memory.bytes);
      if (length === 0) {
        this.#options.memories.release(memory);
        this.#closeFile();
        this.#options.thread.send({ type: 'end', channel: this.#channel });
        return;
      }
      this.#options.onBytes?.(length);
      this.#sendMemory(memory, length);
    }
  }

  #closeFile(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  async #sendAll(chunks: AsyncIterator<Buffer>): Promise<void> {
    for (;;) {
      while (!this.#ended && this.#isAhead()) {
        await new Promise<void>((resolve) => {
          this.#wakeSender = resolve;
        });
      }
      if (this.#ended) return;
      const { value: chunk, done } = await chunks.next();
      if (this.#ended) return;
      if (done !== true) this.#options.onBytes?.(chunk.length);
      if (this.#channel < 0) this.#open(done !== true && mayBeCompressed(chunk));
      if (done === true) break;
      if (this.#compressed) this.#sendBytes(chunk);
      else this.#gathering.add(chunk);
      // Chunks are gathered while there is other work.
      if (this.#given.length === 0) this.#gathering.handOver();
    }
    this.#gathering.handOver();
    this.#options.thread.send({ type: 'end', channel: this.#channel });
  }

  #isAhead(): boolean {
    return this.#compressed ? this.#pieces >= PIECES : this.#given.length >= this.#ahead();
  }

  #ahead(): number {
    return Math.min(this.#options.ahead, this.#options.memories.share());
  }

  #open(compressed = false): void {
    this.#compressed = compressed;
    this.#channel = this.#options.thread.open(this.input, compressed, {
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
    if (this.#compressed && !this.#ended) this.#giveMemory();
  }

  #sendMemory(memory: Memory, length: number): void {
    this.#given.push(memory);
    this.#options.thread.send({ type: 'content', channel: this.#channel, memory: memory.bytes, length });
  }

  #sendBytes(chunk: Buffer): void {
    const bytes = new ArrayBuffer(chunk.length);
    new Uint8Array(bytes).set(chunk);
    this.#pieces += 1;
    this.#options.thread.send({ type: 'bytes', channel: this.#channel, bytes }, [bytes]);
  }

  /** For the content of as many batches as may wait. */
  #giveMemory(): void {
    while (this.#given.length < this.#ahead()) {
      const memory = this.#options.memories.take();
      this.#given.push(memory);
      this.#options.thread.send({ type: 'memory', channel: this.#channel, memory: memory.bytes });
    }
  }

  readonly #problem = (reason: ProblemReason): void => {
    this.#unread.set(reason, (this.#unread.get(reason) ?? 0) + 1);
  };

  #taken(pieces: number): void {
    this.#pieces -= pieces;
    this.#wakeSender();
  }

  #fail(error: Error): void {
    this.#error = error;
    this.#wakeTaker();
  }
}

/** The first bytes of gzip, or too few to tell: then the other thread finds out. */
function mayBeCompressed(chunk: Buffer): boolean {
  return chunk.length < 2 || isGzip(chunk);
}
