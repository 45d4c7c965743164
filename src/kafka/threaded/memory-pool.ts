/** Memory for full batches that comes back from the other thread, and is used for the next ones. */
import { MAX_BATCH_BYTES } from '../pack.js';

/** More than can be underway is not kept. */
const MAX_FREE = 48;

export class MemoryPool {
  readonly #free: ArrayBuffer[] = [];

  /** Smaller batches have memory of their own size: that of a quiet topic must not cost a megabyte for each message. */
  readonly take = (size: number): Buffer => {
    if (size > MAX_BATCH_BYTES || size < MAX_BATCH_BYTES / 2) return Buffer.allocUnsafeSlow(size);
    const memory = this.#free.pop() ?? (Buffer.allocUnsafeSlow(MAX_BATCH_BYTES).buffer as ArrayBuffer);
    return Buffer.from(memory, 0, size);
  };

  put(memory: ArrayBuffer): void {
    if (this.#free.length < MAX_FREE) this.#free.push(memory);
  }
}

/** Whether it is of a pool: no batch has just that size without. */
export function isPooled(memory: ArrayBufferLike): memory is ArrayBuffer {
  return memory.byteLength === MAX_BATCH_BYTES;
}
