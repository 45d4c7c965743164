/** Chunks that came in memory of their own, copied one behind the other into memory that the decoding thread sees. */
import type { Memories, Memory } from './memories.js';

export class Gathering {
  #memory: Memory | undefined;
  #filled = 0;

  /** `full` takes over each memory with so many bytes of content. */
  constructor(
    private readonly memories: Memories,
    private readonly full: (memory: Memory, length: number) => void,
  ) {}

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      this.#memory ??= this.memories.take();
      const { bytes } = this.#memory;
      const part = chunk.subarray(at, at + bytes.byteLength - this.#filled);
      new Uint8Array(bytes).set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === bytes.byteLength) this.handOver();
    }
  }

  /** Gives what there is, if there is any. */
  handOver(): void {
    if (this.#memory !== undefined) this.full(this.#memory, this.#filled);
    this.#memory = undefined;
    this.#filled = 0;
  }

  drop(): void {
    if (this.#memory !== undefined) this.memories.release(this.#memory);
    this.#memory = undefined;
    this.#filled = 0;
  }
}
