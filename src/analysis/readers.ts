/** Opens the inputs of one run: decoded in this thread, or by another one when there is enough to read. */
import type { InputRef } from '../model/origin.js';
import type { Source } from '../sources/index.js';
import { takeThread, threadsFor } from './decode/ahead.js';
import { canDecodeInThread, type DecodeThread } from './decode/decode-thread.js';
import { Memories } from './decode/memories.js';
import { ThreadedReader } from './decode/threaded-reader.js';
import { InputReader, reread } from './input-reader.js';
import type { RecordReader } from './record-reader.js';

/** Batches of an input that are decoded before they are asked for. */
const AHEAD = 8;

export class Readers {
  readonly #threads: DecodeThread[] = [];
  #opened = 0;
  /** Whose bytes someone keeps for later is not used again meanwhile. */
  readonly memories = new Memories();

  /** `workers`: threads beside this one; by default as the size of the inputs and the machine suggest. */
  constructor(sources: readonly Source[], workers = threadsFor(sources)) {
    const count = canDecodeInThread() ? workers : 0;
    if (count > 0) this.memories.reserve();
    while (this.#threads.length < count) this.#threads.push(takeThread());
  }

  open(input: InputRef, source: Source, onBytes?: (count: number) => void): RecordReader {
    return this.#open(input, source, AHEAD, onBytes);
  }

  /** For a look at the beginning alone. */
  look(input: InputRef, source: Source): RecordReader {
    return this.#open(input, source, 1);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #open(input: InputRef, source: Source, ahead: number, onBytes?: (count: number) => void): RecordReader {
    const thread = this.#threads[this.#opened % this.#threads.length];
    if (thread === undefined || source.live) return new InputReader(input, source, onBytes);
    this.#opened += 1;
    return new ThreadedReader(input, source, { thread, memories: this.memories, reread, ahead, onBytes });
  }
}
