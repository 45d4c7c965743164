/** What receivers have turned down for good, with the reason: one line each, for people, and to be sent again once the cause is mended. */
import { access, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../../sources/source.js';
import type { Notice } from '../notice.js';
import { fileLines, syncFolder } from './file-storage.js';
import { noticeOf, noticeSchema, parseLine } from './lines.js';

export interface DeadLetter {
  /** RFC 3339. */
  readonly time: string;
  readonly output: string;
  readonly reason: string;
  /** What was sent, without secrets. */
  readonly payload: string;
  /** Absent where the payload says all. */
  readonly notice?: Notice;
}

/** Appends to `refused.ndjson` of the folder and gives its path. Throws when it is full, or what the system says. */
export async function writeDeadLetter(folder: string, letter: DeadLetter): Promise<string> {
  return append(folder, `${JSON.stringify(letter)}\n`);
}

/** One line of the file while it is handed over. */
export interface RecalledLetter {
  /** Undefined when the line is damaged. */
  readonly entry: DeadLetter | undefined;
  /** It stays in the file. */
  keep(): void;
}

/**
 * Hands over what was turned down. When `take` has resolved, the lines are gone but for those that it keeps; a process
 * that dies before that finds all of them again. Gives how many stay. Throws what `take` throws, or the system says.
 */
export async function recallDeadLetters(
  folder: string,
  take: (letters: AsyncIterable<RecalledLetter>) => Promise<void>,
): Promise<{ readonly damaged: number }> {
  const path = join(folder, REFUSED_FILE);
  const recalled = join(folder, RECALLED_FILE);
  // One from an attempt that was broken off goes first; the other has its turn the next time.
  if (!(await exists(recalled))) {
    if (!(await exists(path))) return { damaged: 0 };
    await rename(path, recalled);
    await syncFolder(folder);
  }
  const kept: string[] = [];
  await take(lettersOf(recalled, kept));
  if (kept.length > 0) await append(folder, kept.map((line) => `${line}\n`).join(''));
  await rm(recalled);
  await syncFolder(folder);
  return { damaged: kept.length };
}

export const REFUSED_FILE = 'refused.ndjson';
const RECALLED_FILE = 'recalled.ndjson';
const MAX_BYTES = 64 * 2 ** 20;

async function append(folder: string, text: string): Promise<string> {
  const path = join(folder, REFUSED_FILE);
  const handle = await open(path, 'a', 0o600);
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES) {
      throw new RangeError(
        `${path} has grown to ${MAX_BYTES / 2 ** 20} MiB; send it again with \`outputs resend\`, or move it away`,
      );
    }
    await handle.appendFile(text);
    await handle.datasync();
    if (size === 0) await syncFolder(folder);
    return path;
  } finally {
    await handle.close();
  }
}

const letterSchema = z.object({
  time: z.string(),
  output: z.string(),
  reason: z.string(),
  payload: z.string(),
  notice: noticeSchema.optional(),
});

async function* lettersOf(path: string, kept: string[]): AsyncGenerator<RecalledLetter> {
  for await (const line of fileLines(path)) {
    const { notice, ...rest } = parseLine(line, letterSchema) ?? {};
    const entry = isLetter(rest)
      ? { ...rest, ...(notice === undefined ? {} : { notice: noticeOf(notice) }) }
      : undefined;
    yield { entry, keep: () => void kept.push(line) };
  }
}

function isLetter(rest: Partial<Omit<DeadLetter, 'notice'>>): rest is Omit<DeadLetter, 'notice'> {
  return rest.payload !== undefined;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
