/**
 * Memory that both threads see and use again and again for the content that is decoded. Nothing of it is left to the
 * garbage collector, which would run all the time, and still late, for megabytes that come and go by the hundred.
 */

/** Content of one batch; as long as the chunks of files. */
const MEMORY_BYTES = 1 << 20;

export interface Memory {
  readonly bytes: SharedArrayBuffer;
  /** How often it was given out. */
  uses: number;
  /** By how many it is held: the reader of its batch, and each who keeps a stretch of it. */
  holders: number;
}

export class Memories {
  readonly #free: Memory[] = [];
  readonly #all = new WeakMap<ArrayBufferLike, Memory>();

  /** Memory that nobody holds, to be held by the caller. */
  take(): Memory {
    let memory = this.#free.pop();
    if (memory === undefined) {
      memory = { bytes: new SharedArrayBuffer(MEMORY_BYTES), uses: 0, holders: 0 };
      this.#all.set(memory.bytes, memory);
    }
    memory.uses += 1;
    memory.holders = 1;
    return memory;
  }

  release(memory: Memory): void {
    memory.holders -= 1;
    if (memory.holders === 0) this.#free.push(memory);
  }

  /** Keeps the memory that the bytes lie in from being used again; bytes of any other origin are of no concern. */
  readonly keep = (bytes: Buffer): void => {
    const memory = this.#all.get(bytes.buffer);
    if (memory !== undefined) memory.holders += 1;
  };

  readonly letGo = (bytes: Buffer): void => {
    const memory = this.#all.get(bytes.buffer);
    if (memory !== undefined) this.release(memory);
  };
}
