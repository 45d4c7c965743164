/** Follows a file while it is written: growth, rotation by rename, truncation, and a file that does not exist yet. */
import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
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
  /** Parts that were rotated away while an earlier one was being read; they come before the live file. */
  #missed: string[] = [];
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
      if (!this.#failing && errorCode(error) !== 'ENOENT')
        this.options.onProblem?.(explainSystemError(this.path, error));
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
    const size = (await handle.stat()).size;
    if (size < this.#position || (size > this.#position && !(await this.#tailStands(handle)))) return this.#startOver();
    if (size > this.#position) return this.#read(handle, size);
    return (await this.#isReplaced(handle)) ? this.#leave() : undefined;
  }

  async #openNext(): Promise<FileHandle> {
    const handle = await open(this.#missed.shift() ?? this.path, 'r');
    this.#handle = handle;
    const stats = await handle.stat({ bigint: true });
    this.#inode = inodeOf(stats);
    this.#position = this.#startAtEnd ? Number(stats.size) : 0;
    this.#tail = Buffer.alloc(0);
    this.#startAtEnd = false;
    return handle;
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

  /** Whether the path leads to another file by now, and that one has something to read. */
  async #isReplaced(handle: FileHandle): Promise<boolean> {
    if (this.#missed.length > 0) return true;
    const live = await stat(this.path, { bigint: true });
    if (inodeOf(live) === this.#inode || live.size === 0n) return false;
    // Written between the last read and the rename: read on before leaving.
    if ((await handle.stat()).size > this.#position) return false;
    this.#missed = await partsAfter(this.path, this.#inode);
    return true;
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

/** Rotated, uncompressed parts of the stream that are newer than the one with this inode. */
async function partsAfter(path: string, inode: string): Promise<string[]> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const stem = streamStem(path);
  const names = await namesIn(folder);
  const parts = names
    .map((name) => folder + name)
    .filter((part) => part !== path && streamStem(part) === stem && !rotationOf(part).compressed)
    .sort(compareStreams);
  const inodes = await Promise.all(parts.map(async (part) => inodeOf(await stat(part, { bigint: true }))));
  const finished = inodes.indexOf(inode);
  return finished < 0 ? [] : parts.slice(finished + 1);
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
