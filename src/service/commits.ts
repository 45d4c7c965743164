/** Commits offsets, one commit at a time, and only what is settled: closed windows whose outputs have been acknowledged. */
import type { PartitionOffset } from '../kafka/port.js';
import { writeMark } from './committed.js';
import type { DeadLetters } from './dead-letters.js';
import type { ServiceOutputs } from './outputs.js';
import type { Partition, Partitions } from './partitions.js';
import type { Windows } from './windows.js';

/** Between windows, what has changed is committed so often. */
const EVERY_MS = 10_000;

export interface CommitsOptions {
  readonly outputs: ServiceOutputs;
  readonly deadLetters: DeadLetters | undefined;
  readonly consumer: { commit(offsets: readonly PartitionOffset[]): Promise<void> };
  readonly onNote: (text: string) => void;
}

interface Planned extends PartitionOffset {
  readonly of: Partition;
}

export class Commits {
  readonly #options: CommitsOptions;
  #running: Promise<void> | undefined;
  #again: (() => Promise<void>) | undefined;
  #startedAtMs = Number.NEGATIVE_INFINITY;
  #last = new Map<Partition, string>();
  #failures = 0;

  constructor(options: CommitsOptions) {
    this.#options = options;
  }

  /** Commits where these partitions begin. */
  begin(fresh: readonly Partition[]): void {
    const offsets = fresh.map((of) => planned(of, of.stream.ledger.position, undefined));
    this.#enqueue(() => this.#send(offsets));
  }

  /** In the background; the newest call replaces one that still waits. */
  start(partitions: Partitions, windows: Windows, signal: AbortSignal): void {
    this.#enqueue(() => this.commit(partitions, windows, signal));
  }

  startNowAndThen(partitions: Partitions, windows: Windows, signal: AbortSignal, nowMs: number): void {
    if (nowMs - this.#startedAtMs < EVERY_MS || this.#running !== undefined) return;
    this.#startedAtMs = nowMs;
    this.start(partitions, windows, signal);
  }

  /** What is settled now is committed once everything that was told before has arrived. */
  async commit(partitions: Partitions, windows: Windows, signal: AbortSignal): Promise<void> {
    const { floor } = windows;
    const openUs = floor === undefined ? undefined : windows.slots.beginOf(floor);
    const offsets = [...partitions.all()].map((of) => planned(of, of.stream.ledger.settled, openUs));
    const changed = offsets.filter((one) => this.#last.get(one.of) !== textOf(one));
    if (changed.length === 0 || signal.aborted) return;
    const { outputs, deadLetters } = this.#options;
    if (!(await outputs.settled(signal))) return;
    if (deadLetters !== undefined && !(await deadLetters.settled(signal))) return;
    if (!signal.aborted) await this.#send(changed);
  }

  async #send(offsets: readonly Planned[]): Promise<void> {
    try {
      await this.#options.consumer.commit(offsets.map(({ of: _, ...offset }) => offset));
      this.#failures = 0;
      for (const one of offsets) {
        this.#last.set(one.of, textOf(one));
        one.of.committed = one.offset;
      }
    } catch (error) {
      // The next one carries all of it again.
      this.#failures += 1;
      const words = error instanceof Error ? error.message : String(error);
      if (this.#failures === 3)
        this.#options.onNote(`offsets cannot be committed: ${words}; a restart would read more again`);
    }
  }

  #enqueue(work: () => Promise<void>): void {
    if (this.#running !== undefined) {
      this.#again = work;
      return;
    }
    this.#running = work().finally(() => {
      this.#running = undefined;
      const next = this.#again;
      this.#again = undefined;
      if (next !== undefined) this.#enqueue(next);
    });
  }
}

function planned(of: Partition, offset: number, openUs: number | undefined): Planned {
  const { topic, partition } = of.stream;
  return { of, topic, partition, offset, metadata: writeMark({ openUs, dead: of.deadBelow }) };
}

function textOf({ offset, metadata }: Planned): string {
  return `${offset} ${metadata}`;
}
