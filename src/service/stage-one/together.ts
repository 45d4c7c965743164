/**
 * Keeps replicas together: what one takes must not be far ahead, in event time, of what another has still to take, or the
 * halves of a request would be far apart in the topic between the stages. Each commits how far its partitions are, and
 * reads what all have committed.
 */
import type { PartitionOffset, TopicPartition } from '../../kafka/port.js';
import { errorText } from '../../model/error-text.js';
import type { Clock } from '../../outputs/delivery/clock.js';
import { type Progress, readProgress } from './progress.js';

export interface TogetherOptions {
  /** What all replicas have committed of the input. */
  readonly read: () => Promise<readonly PartitionOffset[]>;
  readonly clock: Clock;
  readonly onNote: (text: string) => void;
  /** A partition that stays where it is for so long is not waited for. */
  readonly stallMs?: number;
  /** Partitions appear one after the other when a group begins; so long after the last one all are known. */
  readonly settleMs?: number;
}

/** How often the others are looked at, and how often while they are waited for. */
const POLL_MS = 1_000;
const WAITING_MS = 100;
const STALL_MS = 60_000;
const SETTLE_MS = 1_000;

interface Entry extends Progress {
  readonly name: string;
  readonly text: string;
  changedAtMs: number;
  told: boolean;
}

export class Together {
  readonly #options: TogetherOptions;
  readonly #stopping = new AbortController();
  #entries = new Map<string, Entry>();
  #places: readonly TopicPartition[] = [];
  /** When the entries were asked for that are known now; undefined before the first answer. */
  #asOfMs: number | undefined;
  #newestKeyMs = 0;
  #running: Promise<void> | undefined;
  #hurry = new AbortController();
  #waiting = false;
  #failures = 0;
  /** Counts what changed of the offsets of partitions. */
  changes = 0;

  constructor(options: TogetherOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /**
   * Event time up to which this replica may take records, in microseconds, when it may be ahead by `aheadUs`: -Infinity
   * while it is not known where the others are. `isOwn` tells the partitions that it takes itself.
   */
  limitUs(isOwn: (name: string) => boolean, aheadUs: number): number {
    const now = this.#options.clock.now();
    if (this.#asOfMs === undefined || now - this.#newestKeyMs < (this.#options.settleMs ?? SETTLE_MS))
      return this.#wait();
    let limit = Number.POSITIVE_INFINITY;
    for (const entry of this.#entries.values()) {
      if (entry.end || isOwn(entry.name) || this.#isStale(entry, now)) continue;
      limit = Math.min(limit, (entry.us ?? Number.NEGATIVE_INFINITY) + aheadUs);
    }
    return limit;
  }

  /** Partitions of the input that any replica reads; undefined before that is known. */
  places(): readonly TopicPartition[] | undefined {
    return this.#asOfMs === undefined ? undefined : this.#places;
  }

  /** Somebody waits for the others: they are looked at more often for a while. */
  hurry(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    this.#hurry.abort();
  }

  /**
   * When it was seen, in milliseconds, that all partitions are at their ends or at most `lagUs` behind the present;
   * undefined while they are not.
   */
  completeAtMs(lagUs: number): number | undefined {
    const now = this.#options.clock.now();
    if (this.#entries.size === 0 || now - this.#newestKeyMs < (this.#options.settleMs ?? SETTLE_MS)) return undefined;
    for (const entry of this.#entries.values()) {
      const isNear = entry.us !== null && now * 1_000 - entry.us <= lagUs;
      if (!entry.end && !isNear && !this.#isStale(entry, now)) return undefined;
    }
    return this.#asOfMs;
  }

  #wait(): number {
    this.hurry();
    return Number.NEGATIVE_INFINITY;
  }

  #isStale(entry: Entry, now: number): boolean {
    const stallMs = this.#options.stallMs ?? STALL_MS;
    if (now - entry.changedAtMs < stallMs) return false;
    if (!entry.told) {
      entry.told = true;
      this.#options.onNote(
        `no replica got on with ${entry.name} for ${Math.round(stallMs / 1_000)} s, though it is not at its end: the others go on without it`,
      );
    }
    return true;
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#poll();
      this.#hurry = new AbortController();
      const ms = this.#waiting ? WAITING_MS : POLL_MS;
      this.#waiting = false;
      await clock.sleep(ms, AbortSignal.any([signal, this.#hurry.signal]));
    }
  }

  async #poll(): Promise<void> {
    const { read, clock, onNote } = this.#options;
    const asked = clock.now();
    try {
      this.#take(await read(), asked);
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      const words = errorText(error);
      if (this.#failures === 3) onNote(`it is not known how far the other replicas are: ${words}`);
    }
  }

  #take(committed: readonly PartitionOffset[], asked: number): void {
    const entries = new Map<string, Entry>();
    for (const { topic, partition, offset, metadata } of committed) {
      const progress = readProgress(metadata);
      if (progress === undefined) continue;
      const name = `${topic}/${partition}`;
      const text = `${offset} ${metadata}`;
      const known = this.#entries.get(name);
      if (known === undefined) this.#newestKeyMs = this.#options.clock.now();
      if (known?.text !== text) this.changes += 1;
      const same = known?.text === text ? known : undefined;
      entries.set(name, same ?? { name, text, ...progress, changedAtMs: asked, told: false });
    }
    this.#entries = entries;
    this.#places = committed.filter(({ metadata }) => readProgress(metadata) !== undefined);
    this.#asOfMs = asked;
  }
}
