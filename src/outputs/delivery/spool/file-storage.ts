/** Waiting messages in a folder: lines appended to numbered segments, each deleted when all in it is settled. */
import { type FileHandle, open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../sources/source.js';
import { makeFolder } from './make-folder.js';
import type { Place, Storage } from './storage.js';

export interface FileStorageOptions {
  /** `always`: every append is on the disk before it counts; `never`: as the system sees fit. */
  readonly fsync: 'always' | 'never';
  readonly segmentBytes: number;
}

/** A line that an earlier process left. */
export interface Leftover {
  readonly line: string;
  readonly place: Place;
}

interface Segment {
  bytes: number;
  pending: number;
}

const NAME = /^(\d{10})\.ndjson$/;

export class FileStorage implements Storage {
  readonly #segments = new Map<number, Segment>();
  #current: { readonly number: number; readonly handle: FileHandle } | undefined;
  #next = 1;
  #bytes = 0;

  private constructor(
    readonly where: string,
    readonly options: FileStorageOptions,
  ) {}

  /** Creates the folder where it is missing, readable by its owner only, and finds what is in it. */
  static async open(folder: string, options: FileStorageOptions): Promise<FileStorage> {
    await makeFolder(folder);
    const storage = new FileStorage(folder, options);
    for (const name of (await readdir(folder)).sort()) {
      const number = Number(NAME.exec(name)?.[1] ?? 0);
      if (number === 0) continue;
      const { size } = await stat(join(folder, name));
      storage.#segments.set(number, { bytes: size, pending: 0 });
      storage.#bytes += size;
      storage.#next = number + 1;
    }
    return storage;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whole lines of earlier processes, in order. A last line without its end was never acknowledged to anybody. */
  async *leftovers(): AsyncGenerator<Leftover> {
    for (const [segment, state] of [...this.#segments]) {
      const handle = await open(this.#path(segment), 'r');
      try {
        for await (const { line, offset, length } of linesOf(handle)) {
          state.pending += 1;
          yield { line, place: { segment, offset, length } };
        }
      } finally {
        await handle.close();
      }
    }
  }

  /** Deletes earlier segments of which every line was released. */
  async sweep(): Promise<void> {
    for (const [segment, { pending }] of [...this.#segments]) {
      if (pending === 0 && segment !== this.#current?.number) await this.#delete(segment);
    }
  }

  async append(lines: readonly string[]): Promise<Place[]> {
    const { number, handle, segment } = await this.#writable(lines.length);
    const text = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    try {
      await handle.appendFile(text);
      if (this.options.fsync === 'always') await handle.datasync();
    } catch (error) {
      // What was written of it is no whole line, or not safe: nothing more goes behind it.
      this.#current = undefined;
      segment.pending -= lines.length;
      await handle.close().catch(() => undefined);
      await this.#measure(number, segment);
      throw error;
    }
    let offset = segment.bytes;
    segment.bytes += text.length;
    this.#bytes += text.length;
    return lines.map((line) => {
      const place = { segment: number, offset, length: Buffer.byteLength(line) };
      offset += place.length + 1;
      return place;
    });
  }

  async read({ segment, offset, length }: Place): Promise<string> {
    const handle = await open(this.#path(segment), 'r');
    try {
      const buffer = Buffer.alloc(length);
      const { bytesRead } = await handle.read(buffer, 0, length, offset);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  }

  async release({ segment }: Place): Promise<void> {
    const state = this.#segments.get(segment);
    if (state === undefined) return;
    state.pending -= 1;
    if (state.pending > 0) return;
    if (this.#current?.number === segment) {
      const { handle } = this.#current;
      this.#current = undefined;
      await handle.close();
    }
    await this.#delete(segment);
  }

  async close(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    await current?.handle.close();
  }

  /** The lines count as pending before they are written: whoever releases the last of those before must not delete the file. */
  async #writable(lines: number): Promise<{ number: number; handle: FileHandle; segment: Segment }> {
    const full = (this.#segments.get(this.#current?.number ?? 0)?.bytes ?? 0) >= this.options.segmentBytes;
    if (full) await this.close();
    if (this.#current === undefined) {
      const number = this.#next++;
      // Never behind what is there: an earlier process may have ended in the middle of a line.
      const handle = await open(this.#path(number), 'ax', 0o600);
      const segment = { bytes: 0, pending: lines };
      this.#segments.set(number, segment);
      this.#current = { number, handle };
      if (this.options.fsync === 'always') await syncFolder(this.where);
      return { number, handle, segment };
    }
    const segment = this.#segments.get(this.#current.number) ?? { bytes: 0, pending: 0 };
    segment.pending += lines;
    return { ...this.#current, segment };
  }

  async #measure(number: number, segment: Segment): Promise<void> {
    if (segment.pending === 0) return this.#delete(number);
    const { size } = await stat(this.#path(number));
    this.#bytes += size - segment.bytes;
    segment.bytes = size;
  }

  async #delete(segment: number): Promise<void> {
    this.#bytes -= this.#segments.get(segment)?.bytes ?? 0;
    this.#segments.delete(segment);
    try {
      await unlink(this.#path(segment));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }

  #path(segment: number): string {
    return join(this.where, `${String(segment).padStart(10, '0')}.ndjson`);
  }
}

/** The name of a new file is on the disk only when its folder is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const CHUNK = 256 * 1024;
/** A line of this size was not written by this program. */
const MAX_LINE = 16 * 1024 * 1024;

/** Lines with their place in the file; what follows the last line end, or is too long for a line, is left out unless `all`. */
async function* linesOf(
  handle: FileHandle,
  all = false,
): AsyncGenerator<{ line: string; offset: number; length: number }> {
  let rest = Buffer.alloc(0);
  let start = 0;
  for (;;) {
    const chunk = Buffer.alloc(CHUNK);
    const { bytesRead } = await handle.read(chunk, 0, CHUNK);
    if (bytesRead === 0) {
      if (all && rest.length > 0) yield { line: rest.toString('utf8'), offset: start, length: rest.length };
      return;
    }
    rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    let from = 0;
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10, from)) {
      yield { line: rest.toString('utf8', from, at), offset: start + from, length: at - from };
      from = at + 1;
    }
    rest = rest.subarray(from);
    start += from;
    if (rest.length > MAX_LINE && !all) return;
  }
}

/** Whole lines of a file, and with `all` everything else in it; none when there is no such file. */
export async function* fileLines(path: string, all = false): AsyncGenerator<string> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  try {
    for await (const { line } of linesOf(handle, all)) yield line;
  } finally {
    await handle.close();
  }
}
