/** All outputs of a run: each takes the batches at its own pace. */
import type { Output, OutputBatch } from '../output.js';
import type { LaneResult } from './delivery-news.js';
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

  /** Delivers what is left for at most so many milliseconds, all outputs side by side, and closes them. */
  async finish(deadlineMs: number): Promise<LaneResult[]> {
    const ended = await Promise.allSettled(this.#lanes.map((lane) => lane.finish(deadlineMs)));
    return ended.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }
}

/** Whether everything reached its receiver. */
export function allDelivered(results: readonly LaneResult[]): boolean {
  return results.every(({ waiting, refused }) => waiting.length === 0 && refused.length === 0);
}
