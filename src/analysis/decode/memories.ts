/**
 * Memory that both threads see and use again and again for the content that is decoded. Nothing of it is left to the
 * garbage collector, which would run all the time, and still late, for megabytes that come and go by the hundred.
 */

/** Content of one batch; as long as the chunks of files. */
const MEMORY_BYTES = 1 << 20;
/** Memories that all readers together may fill ahead, if they have one each. */
const AHEAD = 24;
/** What a run needs of them when it is at its height: that is not to depend on how much there is to read. */
const FIRST = 40;

export interface Memory {
  readonly bytes: SharedArrayBuffer;
  /** How often it was given out. */
  uses: number;
  /** By how many it is held: the reader of its batch, and each who keeps a stretch of it. */
  holders: number;
  /** Bytes of content in it. */
  filled: number;
}

/** What a batch without content of its own lies in. */
export const NO_MEMORY: Memory = { bytes: new SharedArrayBuffer(0), uses: 0, holders: 1, filled: 0 };

export class Memories {
  /** Readers that are at work. */
  readers = 0;
  readonly #free: Memory[] = [];
  readonly #all = new WeakMap<ArrayBufferLike, Memory>();

  /** Takes hold of the memory that a run will need, so that it fails at once if it does. */
  reserve(): void {
    while (this.#free.length < FIRST) {
      const memory = this.#make();
      new Uint8Array(memory.bytes).fill(1);
      this.#free.push(memory);
    }
  }

  /** How many a reader may fill ahead. */
  share(): number {
    return Math.max(1, Math.floor(AHEAD / Math.max(1, this.readers)));
  }

  /** Memory that nobody holds, to be held by the caller. */
  take(): Memory {
    const memory = this.#free.pop() ?? this.#make();
    memory.uses += 1;
    memory.holders = 1;
    return memory;
  }

  release(memory: Memory): void {
    memory.holders -= 1;
    if (memory.holders === 0) this.#free.push(memory);
  }

  /** See Keeper. The content of small inputs is copied: a megabyte for each of them would add up. */
  readonly keep = (bytes: Buffer): Buffer => {
    const memory = this.#all.get(bytes.buffer);
    if (memory === undefined) return bytes;
    if (memory.filled < MEMORY_BYTES / 2) return Buffer.from(bytes);
    memory.holders += 1;
    return bytes;
  };

  readonly letGo = (kept: Buffer): void => {
    const memory = this.#all.get(kept.buffer);
    if (memory !== undefined) this.release(memory);
  };

  #make(): Memory {
    const memory = { bytes: new SharedArrayBuffer(MEMORY_BYTES), uses: 0, holders: 0, filled: 0 };
    this.#all.set(memory.bytes, memory);
    return memory;
  }
}
