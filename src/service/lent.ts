/**
 * Memory of batches goes back to where they came from when nobody needs it any more. Left to the garbage collector, some
 * hundred megabytes a second keep it busy all the time, in both threads.
 */
import type { MessageBatch } from '../kafka/port.js';

interface Loan {
  /** Who reads the batch, and each who keeps a stretch of it to read it again. */
  holders: number;
  readonly release: () => void;
}

/** A Keeper of all that comes from Kafka. What is never let go is not used again, and nothing else comes of it. */
export class Lent {
  readonly #loans = new WeakMap<ArrayBufferLike, Loan>();

  /** The batch waits to be read. */
  take({ bytes, release }: MessageBatch): void {
    if (release !== undefined) this.#loans.set(bytes.buffer, { holders: 1, release });
  }

  /** All records of the batch were given. */
  done({ bytes }: MessageBatch): void {
    this.#drop(bytes);
  }

  readonly keep = (bytes: Buffer): Buffer => {
    const loan = this.#loans.get(bytes.buffer);
    if (loan !== undefined) loan.holders += 1;
    return bytes;
  };

  readonly letGo = (kept: Buffer): void => this.#drop(kept);

  #drop(bytes: Buffer): void {
    const loan = this.#loans.get(bytes.buffer);
    if (loan === undefined) return;
    loan.holders -= 1;
    if (loan.holders > 0) return;
    this.#loans.delete(bytes.buffer);
    loan.release();
  }
}
