/** OTLP messages that wait to be sent, in order, bounded in bytes; in a folder they outlive the process. */
import { z } from 'zod';
import { errorText } from '../../model/error-text.js';
import { FileStorage } from '../delivery/spool/file-storage.js';
import { lockFolder } from '../delivery/spool/folder-lock.js';
import { parseLine } from '../delivery/spool/lines.js';
import { makeFolder } from '../delivery/spool/make-folder.js';
import { MemoryStorage, type Place, type Storage } from '../delivery/spool/storage.js';
import { Turnstile } from '../delivery/turnstile.js';
import { endedOrAborted } from '../delivery/wait.js';
import type { Payload } from './encode.js';
import { PROTOCOLS } from './settings.js';
import type { Signal } from './signal.js';
import { keyText, parseKey } from './told-log.js';
import type { ToldKey } from './told-table.js';

export interface Entry {
  /** Spans or log records in it. */
  readonly count: number;
  readonly signal: Signal;
  readonly keys: readonly ToldKey[];
  readonly place: Place;
  readonly storage: Storage;
}

export interface BacklogOptions {
  /** The output's own folder; null: everything is kept in memory and ends with the process. */
  readonly folder: string | null;
  readonly maxBytes: number;
}

const lineSchema = z.object({
  signal: z.enum(['traces', 'logs']),
  protocol: z.enum(PROTOCOLS),
  count: z.int().positive(),
  body: z.base64(),
  keys: z.array(z.string().regex(/^[0-9a-f]{24}$/)),
});

export class Backlog {
  readonly #entries: Entry[] = [];
  /** Latest times of what waits, by hash. */
  readonly #keys = new Map<bigint, number>();
  readonly #memory = new MemoryStorage();
  readonly #changed = new Turnstile();

  private constructor(
    readonly storage: Storage,
    readonly maxBytes: number,
    readonly unlock: () => Promise<void>,
    /** Lines of an earlier process that could not be read. */
    public damaged = 0,
  ) {}

  /** Throws FolderInUse, or what the system says. */
  static async open({ folder, maxBytes }: BacklogOptions): Promise<Backlog> {
    if (folder === null) return new Backlog(new MemoryStorage(), maxBytes, async () => {});
    await makeFolder(folder);
    const unlock = await lockFolder(folder);
    try {
      const storage = await FileStorage.open(folder, { fsync: 'always', segmentBytes: 1 << 20 });
      const backlog = new Backlog(storage, maxBytes, unlock);
      await backlog.#restore(storage);
      return backlog;
    } catch (error) {
      await unlock();
      throw error;
    }
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Spans and log records that wait in the folder, and those that would end with the process. */
  get waiting(): { readonly stored: number; readonly inMemory: number } {
    let stored = 0;
    let inMemory = 0;
    for (const { count, storage } of this.#entries) {
      if (storage.where === null) inMemory += count;
      else stored += count;
    }
    return { stored, inMemory };
  }

  /** Resolves at the next change: something was added or settled. */
  get changed(): Promise<void> {
    return this.#changed.turned;
  }

  /** Waits while it is full; false when the signal was aborted before there was room. */
  async room(signal: AbortSignal): Promise<boolean> {
    while (this.size > 0 && this.storage.bytes + this.#memory.bytes >= this.maxBytes) {
      if (signal.aborted) return false;
      await endedOrAborted(this.changed, signal);
    }
    return true;
  }

  /**
   * Adds one message, whether there is room or not; it is as safe as the storage makes it when the promise resolves.
   * Gives why it is kept in memory only, where the folder cannot be written.
   */
  async put(payload: Payload): Promise<string | undefined> {
    const line = payloadLine(payload);
    let failure: string | undefined;
    try {
      await this.#store(this.storage, line, payload);
    } catch (error) {
      failure = errorText(error);
      await this.#store(this.#memory, line, payload);
    }
    this.#changed.turn();
    return failure;
  }

  /** Whether one that waits will tell it. */
  tells({ hash }: ToldKey): boolean {
    return this.#keys.has(hash);
  }

  /** Whether one that waits will tell it with that time or a later one. */
  covers({ hash, atS }: ToldKey): boolean {
    return (this.#keys.get(hash) ?? -1) >= atS;
  }

  /** All that wait, in order. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** In order, from 0. */
  at(index: number): Entry | undefined {
    return this.#entries[index];
  }

  /** Undefined when the storage gives back something else. */
  async read({ place, storage }: Entry): Promise<Payload | undefined> {
    return parsePayload(await storage.read(place));
  }

  async settle(entry: Entry): Promise<void> {
    const at = this.#entries.indexOf(entry);
    if (at < 0) return;
    this.#entries.splice(at, 1);
    for (const { hash, atS } of entry.keys) if ((this.#keys.get(hash) ?? 0) <= atS) this.#keys.delete(hash);
    try {
      await entry.storage.release(entry.place);
    } finally {
      this.#changed.turn();
    }
  }

  async close(): Promise<void> {
    await this.storage.close();
    await this.unlock();
  }

  async #store(storage: Storage, line: string, payload: Payload): Promise<void> {
    const [place] = await storage.append([line]);
    if (place === undefined) throw new RangeError('the storage took nothing');
    this.#add(payload, place, storage);
  }

  #add({ count, signal, keys }: Payload, place: Place, storage: Storage): void {
    this.#entries.push({ count, signal, keys, place, storage });
    for (const { hash, atS } of keys) this.#keys.set(hash, Math.max(atS, this.#keys.get(hash) ?? 0));
  }

  async #restore(storage: FileStorage): Promise<void> {
    const damaged: Place[] = [];
    for await (const { line, place } of storage.leftovers()) {
      const payload = parsePayload(line);
      if (payload === undefined) damaged.push(place);
      else this.#add(payload, place, storage);
    }
    for (const place of damaged) await storage.release(place);
    this.damaged = damaged.length;
    await storage.sweep();
  }
}

/** A message as a line of JSON. */
export function payloadLine({ signal, protocol, count, body, keys }: Payload): string {
  return JSON.stringify({
    signal,
    protocol,
    count,
    body: Buffer.from(body).toString('base64'),
    keys: keys.map(keyText),
  });
}

/** Undefined when the line is damaged. */
export function parsePayload(line: string): Payload | undefined {
  const parsed = parseLine(line, lineSchema);
  if (parsed === undefined) return undefined;
  return { ...parsed, body: Buffer.from(parsed.body, 'base64'), keys: parsed.keys.map(parseKey) };
}
