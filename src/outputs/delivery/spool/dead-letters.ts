/** What receivers have turned down for good, with the reason: one line each, for people, and to be sent again once the cause is mended. */
import { access, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../../sources/source.js';
import type { Unreadable } from '../../output.js';
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
  return append(
    join(folder, REFUSED_FILE),
    `${JSON.stringify(letter)}\n`,
    'send it again with `outputs resend`, or move it away',
  );
}

/** One line of the file while it is handed over. */
export interface RecalledLetter {
  /** Undefined when the line is damaged. */
  readonly entry: DeadLetter | undefined;
  /** It stays in the file. */
  keep(): void;
  /** It is of no use: it goes to a file of its own, for people to look at. */
  setAside(): void;
}

export interface Left {
  readonly kept: number;
  /** Undefined where nothing was set aside. */
  readonly unreadable: Unreadable | undefined;
}

/**
 * Hands over what was turned down. When `take` has resolved, the lines are gone but for those that it keeps or sets
 * aside; a process that dies before that finds all of them again. Throws what `take` throws, or the system says.
 */
export async function recallDeadLetters(
  folder: string,
  take: (letters: AsyncIterable<RecalledLetter>) => Promise<void>,
): Promise<Left> {
  const path = join(folder, REFUSED_FILE);
  const recalled = join(folder, RECALLED_FILE);
  // One from an attempt that was broken off goes first; the other has its turn the next time.
  if (!(await exists(recalled))) {
    if (!(await exists(path))) return { kept: 0, unreadable: undefined };
    await rename(path, recalled);
    await syncFolder(folder);
  }
  const kept: Line[] = [];
  const aside: Line[] = [];
  await take(lettersOf(recalled, kept, aside));
  if (kept.length > 0) await append(path, textOf(kept), 'move it away');
  const unreadable = aside.length === 0 ? undefined : await keepUnreadable(join(folder, UNREADABLE_FILE), aside);
  await rm(recalled);
  await syncFolder(folder);
  return { kept: kept.length, unreadable };
}

interface Line {
  readonly number: number;
  readonly text: string;
}

export const REFUSED_FILE = 'refused.ndjson';
const RECALLED_FILE = 'recalled.ndjson';
const UNREADABLE_FILE = 'unreadable.ndjson';
const MAX_BYTES = 64 * 2 ** 20;
const MAX_LINES_TOLD = 10;

async function keepUnreadable(path: string, lines: readonly Line[]): Promise<Unreadable> {
  const where = await append(path, textOf(lines), 'look at it, and move it away');
  return { count: lines.length, lines: lines.slice(0, MAX_LINES_TOLD).map(({ number }) => number), where };
}

function textOf(lines: readonly Line[]): string {
  return lines.map(({ text }) => `${text}\n`).join('');
}

/** `advice`: for when it has grown too large. */
async function append(path: string, text: string, advice: string): Promise<string> {
  const handle = await open(path, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES) throw new RangeError(`${path} has grown to ${MAX_BYTES / 2 ** 20} MiB; ${advice}`);
    // A process that died while it wrote has left half a line: what comes now must not become a part of it.
    const last = size === 0 ? undefined : (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0];
    await handle.appendFile(last === undefined || last === LINE_END ? text : `\n${text}`);
    await handle.datasync();
    if (size === 0) await syncFolder(dirname(path));
    return path;
  } finally {
    await handle.close();
  }
}

const LINE_END = 10;

const letterSchema = z.object({
  time: z.string(),
  output: z.string(),
  reason: z.string(),
  payload: z.string(),
  notice: noticeSchema.optional(),
});

async function* lettersOf(path: string, kept: Line[], aside: Line[]): AsyncGenerator<RecalledLetter> {
  let number = 0;
  for await (const text of fileLines(path, true)) {
    number += 1;
    if (text.trim() === '') continue;
    const line = { number, text };
    const { notice, ...rest } = parseLine(text, letterSchema) ?? {};
    const entry = isLetter(rest)
      ? { ...rest, ...(notice === undefined ? {} : { notice: noticeOf(notice) }) }
      : undefined;
    yield { entry, keep: () => void kept.push(line), setAside: () => void aside.push(line) };
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
