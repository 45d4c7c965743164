/** A file as the receiver of OTLP messages: whole lines only, and none twice, whatever ended the process before. */
import { type FileHandle, open } from 'node:fs/promises';
import { errorText } from '../../model/error-text.js';
import { NO_ANSWER_YET } from '../delivery/attempt.js';
import type { SendResult } from '../delivery/sink.js';
import { endedOrAborted } from '../delivery/wait.js';
import type { Payload } from './encode.js';
import { safeText } from './safe-text.js';

const LINE_END = 10;
const MAX_WORDS = 300;

export class FileReceiver {
  readonly protocol = 'http/json';
  /** Whether the end of the file is as this process left it. */
  #knowsEnd = false;

  /** `resumes`: the next message may be one that was being written when an earlier process ended. */
  constructor(
    readonly path: string,
    private resumes: boolean,
  ) {}

  /** What is written when this resolves with success is on the disk, as far as the system can tell. */
  async post(payload: Payload, signal: AbortSignal): Promise<SendResult> {
    let result: SendResult = { outcome: 'retry', reason: NO_ANSWER_YET, answered: false };
    const written = this.#write(Buffer.from(`${Buffer.from(payload.body).toString('utf8')}\n`)).then(
      () => {
        result = { outcome: 'delivered', answer: 'written' };
      },
      (error: unknown) => {
        result = { outcome: 'retry', reason: safeText(errorText(error), MAX_WORDS), answered: false };
      },
    );
    // A disk that hangs holds up nobody who ends.
    await endedOrAborted(written, signal);
    return result;
  }

  close(): void {}

  async #write(line: Buffer): Promise<void> {
    const handle = await open(this.path, 'a', 0o600);
    try {
      const stats = await handle.stat();
      const isFile = stats.isFile();
      const missing =
        this.#knowsEnd || !isFile ? line : missingOf(line, await this.#end(line.length, stats.size), this.resumes);
      this.#knowsEnd = false;
      try {
        await handle.appendFile(missing);
        if (isFile) await handle.datasync();
      } catch (error) {
        this.resumes = true;
        // What a full disk took in part is cut off again, so that no line is damaged.
        if (isFile) await handle.truncate(stats.size);
        throw error;
      }
    } finally {
      await handle.close();
    }
    this.#knowsEnd = true;
    this.resumes = false;
  }

  /** The last bytes of the file: so many as a line has, and the one before it. */
  async #end(length: number, size: number): Promise<Buffer> {
    if (size === 0) return Buffer.alloc(0);
    const handle: FileHandle = await open(this.path, 'r');
    try {
      const wanted = Math.min(size, length + 1);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(wanted), 0, wanted, size - wanted);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  }
}

/**
 * What has to be written so that the file ends with the line: nothing where it does already, the rest of one that was
 * begun, and behind half a line of something else a line end first.
 */
function missingOf(line: Buffer, end: Buffer, resumes: boolean): Buffer {
  if (end.length === 0) return line;
  const closed = end.at(-1) === LINE_END;
  if (closed && !resumes) return line;
  const begins = end.lastIndexOf(LINE_END, closed ? -2 : -1) + 1;
  const last = end.subarray(begins);
  const isWhole = begins > 0 || end.length <= line.length;
  if (isWhole && last.equals(line.subarray(0, last.length))) return line.subarray(last.length);
  return closed ? line : Buffer.concat([Buffer.of(LINE_END), line]);
}
