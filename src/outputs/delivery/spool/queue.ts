/** Messages that wait for their receiver, in order, bounded in bytes: whoever adds asks for room before. */
import { errorText } from '../../../model/error-text.js';
import type { Notice } from '../notice.js';
import { Turnstile } from '../turnstile.js';
import { endedOrAborted } from '../wait.js';
import { parseWaiting, waitingLine } from './lines.js';
import { MemoryStorage, type Place, type Storage } from './storage.js';

export interface Entry {
  readonly seq: number;
  readonly key: string;
  readonly atMs: number;
  readonly place: Place;
  readonly storage: Storage;
}

/** The messages of a queue whose storage has failed are kept in memory, up to this. */
const MEMORY_BYTES = 8 * 2 ** 20;
/** Messages written at once. */
const CHUNK = 64;

export class Queue {
  /** By seq, in order. */
  readonly #entries = new Map<number, Entry>();
  /** Findings of the messages that lay in the storage at the start. */
  readonly #restored = new Set<string>();
  readonly #memory = new MemoryStorage();
  #lastSeq: number;
  readonly #changed = new Turnstile();

  constructor(
    readonly storage: Storage,
    readonly maxBytes: number,
    lastSeq = 0,
    /** Told when the storage cannot be written. */
    readonly onFailure: (reason: string) => void = () => {},
  ) {
    this.#lastSeq = lastSeq;
  }

  get size(): number {
    return this.#entries.size;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** How many wait in the storage and how many in memory alone. */
  get waiting(): { readonly stored: number; readonly inMemory: number } {
    let stored = 0;
    for (const { storage } of this.#entries.values()) if (storage.where !== null) stored += 1;
    return { stored, inMemory: this.#entries.size - stored };
  }

  /** Resolves at the next change: something was added or settled. */
  get changed(): Promise<void> {
    return this.#changed.turned;
  }

  /** Waits while the queue is full; false when the signal was aborted before there was room. */
  async room(abort: AbortSignal): Promise<boolean> {
    while (this.#isFull()) {
      if (abort.aborted) return false;
      await endedOrAborted(this.changed, abort);
    }
    return true;
  }

  /**
   * Adds messages, whether there is room or not; they are as safe as the storage makes them when the promise resolves.
   * None is seen before all are there: what belongs together is sent together.
   */
  async put(notices: readonly Notice[]): Promise<void> {
    const added: Entry[] = [];
    for (let at = 0; at < notices.length; at += CHUNK) {
      const chunk = notices.slice(at, at + CHUNK).map((notice) => ({ notice, seq: this.#nextSeq() }));
      const { storage, places } = await this.#store(chunk.map(({ notice, seq }) => waitingLine(seq, notice)));
      for (const [index, { notice, seq }] of chunk.entries()) {
        const place = places[index];
        if (place !== undefined) added.push({ seq, key: notice.key, atMs: notice.atMs, storage, place });
      }
    }
    for (const entry of added) this.#entries.set(entry.seq, entry);
    if (added.length > 0) this.#changed.turn();
  }

  /** Adds one that lies in the storage already, from an earlier process. */
  restore(seq: number, notice: Notice, place: Place): void {
    this.#lastSeq = Math.max(this.#lastSeq, seq);
    this.#entries.set(seq, { seq, key: notice.key, atMs: notice.atMs, storage: this.storage, place });
    for (const { fingerprint } of notice.told) this.#restored.add(fingerprint);
  }

  /** Whether a state of this finding waited when this process began. */
  hasRestored(fingerprint: string): boolean {
    return this.#restored.has(fingerprint);
  }

  has(seq: number): boolean {
    return this.#entries.has(seq);
  }

  /** The first entries in order, at most `count`. */
  head(count: number): Entry[] {
    const first: Entry[] = [];
    for (const entry of this.#entries.values()) {
      if (first.length >= count) break;
      first.push(entry);
    }
    return first;
  }

  /** The first entry of another key: nothing overtakes a message of its own key. */
  other(key: string): Entry | undefined {
    for (const entry of this.#entries.values()) if (entry.key !== key) return entry;
    return undefined;
  }

  /** The message of an entry; undefined when its storage gives back something else. */
  async read({ seq, storage, place }: Entry): Promise<Notice | undefined> {
    const waiting = parseWaiting(await storage.read(place));
    return waiting?.seq === seq ? waiting.notice : undefined;
  }

  async settle({ seq, storage, place }: Entry): Promise<void> {
    if (!this.#entries.delete(seq)) return;
    try {
      await storage.release(place);
    } finally {
      this.#changed.turn();
    }
  }

  async close(): Promise<void> {
    await this.storage.close();
  }

  #isFull(): boolean {
    if (this.#entries.size === 0) return false;
    return this.storage.bytes >= this.maxBytes || this.#memory.bytes >= MEMORY_BYTES;
  }

  #nextSeq(): number {
    this.#lastSeq += 1;
    return this.#lastSeq;
  }

  async #store(lines: readonly string[]): Promise<{ storage: Storage; places: readonly Place[] }> {
    try {
      return { storage: this.storage, places: await this.storage.append(lines) };
    } catch (error) {
      this.onFailure(errorText(error));
      return { storage: this.#memory, places: await this.#memory.append(lines) };
    }
  }
}
