/** All outputs of a run: each takes the batches at its own pace. */
import type { Output, OutputBatch } from '../output.js';
import type { LaneResult, LaneStatus } from './delivery-news.js';
import { Lane, type LaneOptions } from './lane.js';

export class Lanes {
  readonly #lanes: readonly Lane[];

  constructor(outputs: readonly Output[], options: LaneOptions) {
    this.#lanes = outputs.map((output) => new Lane(output, options));
  }

  /** Returns at once. */
  push(batch: OutputBatch): void {
    for (const lane of this.#lanes) lane.push(batch);
  }

  /** Some output is so far behind that whoever wants to lose nothing should wait for `room`. */
  get full(): boolean {
    return this.#lanes.some((lane) => lane.isFull);
  }

  /** True once no output is full; false when the signal was aborted before. Rejects when an output sends no more. */
  async room(signal: AbortSignal): Promise<boolean> {
    const open = await Promise.all(this.#lanes.map((lane) => lane.room(signal)));
    return open.every((one) => one);
  }

  /**
   * True once everything that was pushed before the call is acknowledged, known to the receiver, turned down, or on the
   * disk, for each output: it need not be read again after a crash. False when the signal was aborted before. Rejects when
   * an output sends no more.
   */
  async settled(signal: AbortSignal = NEVER): Promise<boolean> {
    const done = await Promise.all(this.#lanes.map((lane) => lane.settled(signal)));
    return done.every((one) => one);
  }

  status(): LaneStatus[] {
    return this.#lanes.map((lane) => lane.status);
  }

  /** Delivers what is left for at most so many milliseconds, all outputs side by side, and closes them. */
  async finish(deadlineMs: number): Promise<LaneResult[]> {
    const ended = await Promise.allSettled(this.#lanes.map((lane) => lane.finish(deadlineMs)));
    return ended.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }
}

const NEVER = new AbortController().signal;

/** Whether everything reached its receiver. */
export function allDelivered(results: readonly LaneResult[]): boolean {
  return results.every(({ waiting, refused }) => waiting.length === 0 && refused.length === 0);
}
