/** Follows a file while it is written: growth, rotation by rename, truncation, and a file that does not exist yet. */
import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { compareStreams, rotationOf, streamStem } from './rotation.js';
import type { Source } from './source.js';
import { errorCode, explainSystemError } from './source.js';

export interface FollowOptions {
  /** Ends the stream when aborted. */
  readonly signal?: AbortSignal;
  /** Start at the end of what is there instead of reading it first. */
  readonly fromEnd?: boolean;
  readonly pollMs?: number;
  /** Told once for each spell in which the file cannot be read; following goes on. */
  readonly onProblem?: (message: string) => void;
}

const POLL_MS = 250;
const CHUNK_BYTES = 1 << 20;
/** Bytes before the position that are compared when a file grows, to notice that it was cut and written anew. */
const TAIL_BYTES = 64;

/**
 * A file as a live source. A rotated file is read to its end before the new one begins, a file that was cut is read
 * from its start; a line that stops there gets its line break, so that it cannot join the first line of what follows.
 */
export function followSource(path: string, options: FollowOptions = {}, modifiedMs = Date.now()): Source {
  return {
    input: { name: path, kind: 'file', yearHintUs: Math.round(modifiedMs * 1000) },
    bytes: null,
    live: true,
    open: () => follow(path, options),
  };
}

async function* follow(path: string, options: FollowOptions): AsyncGenerator<Buffer> {
  const state = new Followed(path, options);
  try {
    while (options.signal?.aborted !== true) {
      const chunk = await state.next();
      if (chunk !== undefined) yield chunk;
      else await pause(options);
    }
  } finally {
    await state.close();
  }
}

async function pause({ pollMs, signal }: FollowOptions): Promise<void> {
  try {
    await sleep(pollMs ?? POLL_MS, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}

/** The open file and the place in it. */
class Followed {
  #handle: FileHandle | undefined;
  #inode = '';
  #position = 0;
  #tail: Buffer = Buffer.alloc(0);
  #startAtEnd: boolean;
  #failing = false;

  constructor(
    readonly path: string,
    readonly options: FollowOptions,
  ) {
    this.#startAtEnd = options.fromEnd ?? false;
  }

  /** The next bytes; undefined when there are none now. */
  async next(): Promise<Buffer | undefined> {
    try {
      const chunk = await this.#advance();
      this.#failing = false;
      return chunk;
    } catch (error) {
      if (errorCode(error) === '') throw error;
      if (!this.#failing && errorCode(error) !== 'ENOENT') {
        this.options.onProblem?.(explainSystemError(this.path, error));
      }
      this.#failing = true;
      return undefined;
    }
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #advance(): Promise<Buffer | undefined> {
    const handle = this.#handle ?? (await this.#openNext());
    if (handle === undefined) return undefined;
    const size = (await handle.stat()).size;
    if (size < this.#position || (size > this.#position && !(await this.#tailStands(handle)))) return this.#startOver();
    if (size > this.#position) return this.#read(handle, size);
    return (await this.#isReplaced(handle)) ? this.#leave() : undefined;
  }

  /**
   * Opens what comes after the file that was read last: a part that was rotated away since then, or the live file.
   * undefined when the part moved on meanwhile (`audit.log.1` became `audit.log.2`): look again.
   */
  async #openNext(): Promise<FileHandle | undefined> {
    // Opened before the parts are looked for: a rotation meanwhile cannot hide one.
    const live = await open(this.path, 'r');
    let handle = live;
    try {
      const part = this.#inode === '' ? undefined : (await partsAfter(this.path, this.#inode))[0];
      if (part !== undefined) handle = await open(part.path, 'r');
      const stats = await handle.stat({ bigint: true });
      if (part !== undefined && part.inode !== inodeOf(stats)) return undefined;
      this.#inode = inodeOf(stats);
      this.#position = this.#startAtEnd ? Number(stats.size) : 0;
      this.#tail = Buffer.alloc(0);
      this.#startAtEnd = false;
      this.#handle = handle;
      return handle;
    } finally {
      if (this.#handle !== live) await live.close();
      if (this.#handle !== handle && handle !== live) await handle.close();
    }
  }

  async #read(handle: FileHandle, size: number): Promise<Buffer | undefined> {
    const length = Math.min(size - this.#position, CHUNK_BYTES);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, this.#position);
    if (bytesRead === 0) return undefined;
    const chunk = buffer.subarray(0, bytesRead);
    this.#position += bytesRead;
    this.#tail = Buffer.from(chunk.subarray(-TAIL_BYTES));
    return chunk;
  }

  async #tailStands(handle: FileHandle): Promise<boolean> {
    const length = this.#tail.length;
    if (length === 0) return true;
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, this.#position - length);
    return bytesRead === length && buffer.equals(this.#tail);
  }

  #startOver(): Buffer | undefined {
    const end = this.#endOfLine();
    this.#position = 0;
    this.#tail = Buffer.alloc(0);
    return end;
  }

  /** Whether the path leads to another file by now, and there is something to read there. */
  async #isReplaced(handle: FileHandle): Promise<boolean> {
    const live = await stat(this.path, { bigint: true });
    if (inodeOf(live) === this.#inode) return false;
    if (live.size === 0n && (await partsAfter(this.path, this.#inode)).length === 0) return false;
    // Written between the last read and the rename: read on before leaving.
    return (await handle.stat()).size <= this.#position;
  }

  async #leave(): Promise<Buffer | undefined> {
    const end = this.#endOfLine();
    await this.close();
    return end ?? this.#advance();
  }

  #endOfLine(): Buffer | undefined {
    return this.#tail.length > 0 && this.#tail.at(-1) !== 0x0a ? Buffer.from('\n') : undefined;
  }
}

interface Part {
  readonly path: string;
  readonly inode: string;
}

/** Rotated, uncompressed parts of the stream that are newer than the one with this inode, the oldest first. */
async function partsAfter(path: string, inode: string): Promise<Part[]> {
  const parts = await standingParts(path);
  const finished = parts.findIndex((part) => part.inode === inode);
  return finished < 0 ? [] : parts.slice(finished + 1);
}

/** As two looks in a row find them: one look alone misses a part that is renamed while it goes from name to name. */
async function standingParts(path: string): Promise<Part[]> {
  let before = await rotatedParts(path);
  for (;;) {
    const now = await rotatedParts(path);
    if (isDeepStrictEqual(now, before)) return now;
    before = now;
  }
}

/** All rotated, uncompressed parts of the stream, the oldest first. */
async function rotatedParts(path: string): Promise<Part[]> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const stem = streamStem(path);
  const paths = (await namesIn(folder))
    .map((name) => folder + name)
    .filter((part) => part !== path && streamStem(part) === stem && !rotationOf(part).compressed)
    .sort(compareStreams);
  return Promise.all(paths.map(async (part) => ({ path: part, inode: inodeOf(await stat(part, { bigint: true })) })));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder === '' ? '.' : folder);
  } catch (error) {
    // A folder that may be entered but not listed: only the live file can be known.
    if (errorCode(error) === 'EACCES') return [];
    throw error;
  }
}

function inodeOf(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}`;
}
