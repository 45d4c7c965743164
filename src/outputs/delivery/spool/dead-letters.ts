/** What receivers have turned down for good, with the reason: one line each, for people and for sending it again by hand. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Notice } from '../notice.js';
import { syncFolder } from './file-storage.js';

export interface DeadLetter {
  /** RFC 3339. */
  readonly time: string;
  readonly output: string;
  readonly reason: string;
  /** What was sent, without secrets. */
  readonly payload: string;
  readonly notice: Notice;
}

/** Appends to `refused.ndjson` of the folder and gives its path. Throws when it is full, or what the system says. */
export async function writeDeadLetters(folder: string, letters: readonly DeadLetter[]): Promise<string> {
  const path = join(folder, 'refused.ndjson');
  const handle = await open(path, 'a', 0o600);
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES) throw new RangeError(`${path} has grown to ${MAX_BYTES / 2 ** 20} MiB; move it away`);
    await handle.appendFile(letters.map((letter) => `${JSON.stringify(letter)}\n`).join(''));
    await handle.datasync();
    if (size === 0) await syncFolder(folder);
    return path;
  } finally {
    await handle.close();
  }
}

const MAX_BYTES = 64 * 2 ** 20;
