/** Commits offsets, one commit at a time, and only what is settled: closed windows whose outputs have been acknowledged. */
import type { PartitionOffset } from '../kafka/port.js';
import { errorText } from '../model/error-text.js';
import { endedOrAborted } from '../outputs/delivery/wait.js';
import { writeMark } from './commit-mark.js';
import type { DeadLetters } from './dead-letters.js';
import type { ServiceOutputs } from './outputs.js';
import type { Partition, Partitions } from './partitions.js';
import type { Windows } from './windows.js';

/** Between windows, what has changed is committed so often. */
const EVERY_MS = 10_000;
/** Where a partition begins is tried again after so long. */
const BEGIN_MS = 2_000;
/** So many failures in a row are told: a rebalance alone makes one or two. */
const NOTED = 3;

export interface CommitsOptions {
  readonly outputs: ServiceOutputs;
  readonly deadLetters: DeadLetters | undefined;
  readonly consumer: { commit(offsets: readonly PartitionOffset[]): Promise<void> };
  readonly onNote: (text: string) => void;
  /** Hears that nothing can be committed any more, as when an output has ended for good. */
  readonly onFailure: (error: Error) => void;
}

interface Planned extends PartitionOffset {
  readonly of: Partition;
}

export class Commits {
  readonly #options: CommitsOptions;
  #running: Promise<void> | undefined;
  #again: (() => Promise<void>) | undefined;
  #startedAtMs = Number.NEGATIVE_INFINITY;
  readonly #last = new WeakMap<Partition, string>();
  #failures = 0;
  /** Commits that the broker has not answered. */
  #sending = 0;
  /** Where partitions begin, until it is committed. */
  #begins: { readonly offsets: readonly Planned[]; readonly signal: AbortSignal } | undefined;
  #begunAtMs = Number.NEGATIVE_INFINITY;
  #beginning = false;

  constructor(options: CommitsOptions) {
    this.#options = options;
  }

  /** Commits where these partitions begin, again and again until it is done: this waits for no output. */
  begin(uncommitted: readonly Partition[], signal: AbortSignal): void {
    this.#begins = { offsets: uncommitted.map(beginOf), signal };
    void this.#begin();
  }

  /** In the background; the newest call replaces one that still waits. */
  start(partitions: Partitions, windows: Windows, signal: AbortSignal): void {
    this.#enqueue(() => this.#commit(partitions, windows, signal));
  }

  startNowAndThen(partitions: Partitions, windows: Windows, signal: AbortSignal, nowMs: number): void {
    if (this.#begins !== undefined && nowMs - this.#begunAtMs >= BEGIN_MS) {
      this.#begunAtMs = nowMs;
      void this.#begin();
    }
    if (nowMs - this.#startedAtMs < EVERY_MS || this.#running !== undefined) return;
    this.#startedAtMs = nowMs;
    this.start(partitions, windows, signal);
  }

  /** The last one: what is under way ends first. Nothing is waited for once the signal is aborted. Never rejects. */
  async finish(partitions: Partitions, windows: Windows, signal: AbortSignal): Promise<void> {
    this.#again = undefined;
    if (this.#running !== undefined) await endedOrAborted(this.#running, signal);
    try {
      await endedOrAborted(this.#commit(partitions, windows, signal), signal);
      if (this.#sending > 0) throw new Error('Kafka gives no answer');
    } catch (error) {
      this.#options.onNote(`offsets are not committed, so a restart reads more again: ${errorText(error)}`);
    }
  }

  /** What is settled now is committed once everything that was told before has arrived. */
  async #commit(partitions: Partitions, windows: Windows, signal: AbortSignal): Promise<void> {
    const { settled } = windows;
    const settledUs = settled === undefined ? undefined : windows.slots.beginOf(settled);
    const offsets = [...partitions.all()].map((of) => {
      // Older windows got nothing of it here: whoever reads it next must not take them for whole.
      const openUs = laterOf(settledUs, partitions.openUsOf(of.stream));
      return planned(of, of.stream.ledger.settled, openUs);
    });
    const changed = offsets.filter((one) => this.#last.get(one.of) !== textOf(one));
    if (changed.length === 0 || signal.aborted) return;
    const { outputs, deadLetters } = this.#options;
    if (!(await outputs.settled(signal))) return;
    if (deadLetters !== undefined && !(await deadLetters.settled(signal))) return;
    if (!signal.aborted) await this.#send(changed);
  }

  async #begin(): Promise<void> {
    const { offsets = [], signal } = this.#begins ?? {};
    if (this.#beginning) return;
    this.#beginning = true;
    const left = signal?.aborted === true ? [] : offsets.filter(({ of }) => of.committed === null);
    const done = left.length === 0 || (await this.#send(left));
    this.#beginning = false;
    if (this.#begins?.signal !== signal) void this.#begin();
    else if (done) this.#begins = undefined;
  }

  /** Whether the broker has them. */
  async #send(offsets: readonly Planned[]): Promise<boolean> {
    this.#sending += 1;
    try {
      await this.#options.consumer.commit(offsets.map(({ of: _, ...offset }) => offset));
      this.#failures = 0;
      for (const one of offsets) {
        this.#last.set(one.of, textOf(one));
        one.of.committed = one.offset;
      }
      return true;
    } catch (error) {
      // The next one carries all of it again.
      this.#failures += 1;
      if (this.#failures === NOTED)
        this.#options.onNote(`offsets cannot be committed: ${errorText(error)}; a restart would read more again`);
      return false;
    } finally {
      this.#sending -= 1;
    }
  }

  #enqueue(work: () => Promise<void>): void {
    if (this.#running !== undefined) {
      this.#again = work;
      return;
    }
    const fail = (error: unknown) =>
      this.#options.onFailure(new Error(`nothing can be committed any more: ${errorText(error)}`, { cause: error }));
    this.#running = work()
      .catch(fail)
      .finally(() => {
        this.#running = undefined;
        const next = this.#again;
        this.#again = undefined;
        if (next !== undefined) this.#enqueue(next);
      });
  }
}

function laterOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

function planned(of: Partition, offset: number, openUs: number | undefined): Planned {
  const { topic, partition } = of.stream;
  return { of, topic, partition, offset, metadata: writeMark({ openUs, dead: of.deadBelow, read: of.stream.takenTo }) };
}

/** As if nothing of it had been read: none of that counts before outputs have it. */
function beginOf(of: Partition): Planned {
  const { topic, partition, takenTo } = of.stream;
  const read = takenTo === undefined ? undefined : of.begin;
  return { of, topic, partition, offset: of.begin, metadata: writeMark({ openUs: undefined, dead: 0, read }) };
}

function textOf({ offset, metadata }: Planned): string {
  return `${offset} ${metadata}`;
}
