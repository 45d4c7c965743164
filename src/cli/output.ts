/** Where data goes: standard output, or a file that appears whole or not at all. */
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { asError } from '../model/error-text.js';
import { errorCode, explainSystemError } from '../sources/source.js';
import { usageFailure } from './failure.js';
import type { TerminalStream } from './terminal.js';

export interface Output {
  /** Waits until the reader has taken it. Throws Failure when it cannot be written. */
  write(text: string): Promise<void>;
  /** Makes what was written final. */
  finish(): Promise<void>;
  /** Leaves nothing behind, where that is possible. */
  discard(): Promise<void>;
}

const PIECE_BYTES = 64 * 1024;

/** Standard output. A reader that goes away (`| head -1`) is no failure: the rest is not written. */
export class StreamOutput implements Output {
  #closed = false;

  constructor(
    readonly stream: TerminalStream,
    /** Told once when the reader has gone away. */
    readonly onClosed: () => void = () => {},
  ) {
    // The failure of a write is told to its callback; without a listener it would end the process as well.
    stream.on('error', ignore);
  }

  get closed(): boolean {
    return this.#closed;
  }

  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length && !this.#closed; at += PIECE_BYTES) {
      await this.#writePiece(bytes.subarray(at, at + PIECE_BYTES));
    }
  }

  async finish(): Promise<void> {}

  async discard(): Promise<void> {}

  async #writePiece(piece: Buffer): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.stream.write(piece, (error) => (error ? reject(error) : resolve()));
      });
    } catch (error) {
      if (!GONE.has(errorCode(error))) throw usageFailure(explainSystemError('standard output', error), error);
      this.#closed = true;
      this.onClosed();
    }
  }
}

const GONE = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

function ignore(): void {}

/**
 * A file beside the target that takes its name when all is written. Opened at once, so that a target that cannot be
 * written is told before a long analysis. Devices and pipes are written directly. Throws Failure.
 */
export async function openOutputFile(target: string): Promise<Output> {
  try {
    const existing = await existingTarget(target);
    if (existing !== undefined && !existing.regular) return new FileOutput(target, target, await open(target, 'w'));
    const path = existing?.path ?? target;
    const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
    return new FileOutput(path, temporary, await open(temporary, 'w', existing?.mode ?? 0o666));
  } catch (error) {
    throw cannotWrite(target, error);
  }
}

async function existingTarget(target: string): Promise<{ path: string; regular: boolean; mode: number } | undefined> {
  try {
    const stats = await stat(target);
    if (stats.isDirectory()) throw Object.assign(new Error('it is a folder; name a file in it'), { code: 'EISDIR' });
    // A link stays a link: what it leads to is replaced.
    return { path: await realpath(target), regular: stats.isFile(), mode: stats.mode & 0o777 };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

class FileOutput implements Output {
  constructor(
    readonly path: string,
    readonly temporary: string,
    readonly handle: FileHandle,
  ) {}

  async write(text: string): Promise<void> {
    try {
      await this.handle.appendFile(text);
    } catch (error) {
      throw cannotWrite(this.path, error);
    }
  }

  async finish(): Promise<void> {
    try {
      if (this.temporary !== this.path) await this.handle.sync();
      await this.handle.close();
      if (this.temporary !== this.path) await rename(this.temporary, this.path);
    } catch (error) {
      throw cannotWrite(this.path, error);
    }
  }

  async discard(): Promise<void> {
    await this.handle.close();
    if (this.temporary !== this.path) await rm(this.temporary, { force: true });
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; name a file in a folder that you may write to',
  EPERM: 'permission denied; name a file in a folder that you may write to',
  EROFS: 'the file system is read-only; name a file on another one',
  ENOENT: 'there is no such folder; make it first, or check the spelling',
  ENOSPC: 'no space is left on the disk; make room, or name a file on another one',
};

function cannotWrite(path: string, error: unknown): Error {
  if (errorCode(error) === '') return asError(error);
  const advice = ADVICE[errorCode(error)];
  return usageFailure(`cannot write ${advice ? `${path}: ${advice}` : explainSystemError(path, error)}`, error);
}
