/** What every source of bytes looks like to the stages after it, and how reading it can fail. */
import { errorText } from '../model/error-text.js';
import type { InputRef } from '../model/origin.js';
import type { ProblemReason } from '../model/record.js';
import type { FileBytes } from './file-bytes.js';

export interface Source {
  /** Who this input is; the run numbers its inputs, so `id` is added there. */
  readonly input: Omit<InputRef, 'id'>;
  /** Size in bytes as stored (still compressed); null when it cannot be known. */
  readonly bytes: number | null;
  /** True when bytes arrive as they are written and the end may never come. */
  readonly live: boolean;
  /** Regular files may be read in this way as well. Throws SourceError. */
  readonly openFile?: () => FileBytes;
  /** Told why reading broke off, whoever read it. */
  readonly onFailure?: (error: SourceError) => void;
  /**
   * The raw bytes, still compressed. Every chunk is a fresh buffer that the reader may keep. Files may be opened
   * again and again; standard input and pipes once. Throws SourceError when reading fails, at the start or midway.
   */
  open(): AsyncIterable<Buffer>;
}

/** Reading an input failed; `message` names the path, what happened and what to do. */
export class SourceError extends Error {
  override readonly name = 'SourceError';

  constructor(
    readonly path: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * The bytes of a source where a failure to read is a problem of that input and not of the run: what was read before
 * it stays, the failure is reported, the stream ends.
 */
export async function* readSource(source: Source, onProblem: (reason: ProblemReason) => void): AsyncGenerator<Buffer> {
  try {
    yield* source.open();
  } catch (error) {
    tellFailure(source, error, onProblem);
  }
}

/** Throws what is no SourceError. */
export function tellFailure(source: Source, error: unknown, onProblem: (reason: ProblemReason) => void): void {
  if (!(error instanceof SourceError)) throw error;
  source.onFailure?.(error);
  onProblem('unreadable');
}

/** A SourceError from what the operating system said about a path. */
export function sourceError(path: string, cause: unknown): SourceError {
  return new SourceError(path, explainSystemError(path, cause), { cause });
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder; check the spelling, and the folder this was started in',
  EACCES: 'permission denied; read it as a user who may (audit logs usually belong to root), or copy it',
  EPERM: 'permission denied; read it as a user who may (audit logs usually belong to root), or copy it',
  EIO: 'the disk or network file system failed to deliver it (EIO); copy it from elsewhere',
  EMFILE: 'too many open files; raise the limit (ulimit -n) or give fewer inputs at once',
  ENFILE: 'too many open files; raise the limit (ulimit -n) or give fewer inputs at once',
  ELOOP: 'a loop of symbolic links; give the file itself',
  ENOTDIR: 'a part of the path is a file and not a folder; check the spelling',
  ENAMETOOLONG: 'the name is too long for the file system; check the quoting',
  ESTALE: 'the network file system lost it (ESTALE); mount it again or copy the file',
};

/** `PATH: what happened; what to do`. */
export function explainSystemError(path: string, cause: unknown): string {
  const code = errorCode(cause);
  const words = ADVICE[code] ?? errorText(cause);
  return `${path}: ${words}`;
}

/** The system's error code, as in `ENOENT`; '' when there is none. */
export function errorCode(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return '';
  return typeof cause.code === 'string' ? cause.code : '';
}
