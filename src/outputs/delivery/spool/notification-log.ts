/** What was settled, appended to one file: after a restart nothing is told twice, and settled messages are no longer waiting. */
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Ledger, LedgerEntry } from '../ledger.js';
import { fileLines, syncFolder } from './file-storage.js';
import { parseLine, toldSchema } from './lines.js';

export interface Settled extends LedgerEntry {
  /** Number of the message in the queue. */
  readonly seq: number;
  readonly outcome: 'delivered' | 'refused';
}

export interface NotificationLog {
  append(settled: readonly Settled[]): Promise<void>;
  rewrite(ledger: Ledger, lastSeq: number): Promise<void>;
  close(): Promise<void>;
}

/** Where nothing outlives the process, nothing has to be remembered for the next. */
export const forgetfulLog: NotificationLog = {
  append: async () => {},
  rewrite: async () => {},
  close: async () => {},
};

const settledSchema = z.object({
  seq: z.int().nonnegative(),
  key: z.string(),
  counter: z.int().nonnegative(),
  kind: z.enum(['opened', 'updated', 'resolved']),
  atMs: z.number(),
  told: z.array(toldSchema),
});

/** Reads `notified.ndjson` of a folder, where there is one; damaged lines are left out and counted. */
export async function readNotificationLog(folder: string, ledger: Ledger) {
  const settled = new Set<number>();
  let lastSeq = 0;
  let damaged = 0;
  for await (const line of fileLines(join(folder, FILE))) {
    const entry = parseLine(line, settledSchema);
    if (entry === undefined) {
      damaged += 1;
      continue;
    }
    if (entry.seq > 0) settled.add(entry.seq);
    lastSeq = Math.max(lastSeq, entry.seq);
    if (entry.key !== '') ledger.apply(entry, true);
  }
  return { settled, lastSeq, damaged };
}

const FILE = 'notified.ndjson';

export class FileLog implements NotificationLog {
  readonly #path: string;
  #handle: FileHandle | undefined;

  constructor(
    folder: string,
    readonly fsync: 'always' | 'never',
  ) {
    this.#path = join(folder, FILE);
  }

  async append(settled: readonly Settled[]): Promise<void> {
    const text = settled.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    this.#handle ??= await open(this.#path, 'a', 0o600);
    await this.#handle.appendFile(text);
    if (this.fsync === 'always') await this.#handle.datasync();
  }

  /**
   * The state in place of its history, in a whole new file that takes the name of the old one. Only while nothing waits
   * or is planned: the numbers of settled messages are forgotten, and what the ledger holds counts as told.
   */
  async rewrite(ledger: Ledger, lastSeq: number): Promise<void> {
    await this.close();
    const temporary = `${this.#path}.tmp`;
    const handle = await open(temporary, 'w', 0o600);
    try {
      let text = `${JSON.stringify({ seq: lastSeq, key: '', counter: 0, kind: 'updated', atMs: 0, told: [] })}\n`;
      for (const entry of ledger.entries()) {
        text += `${JSON.stringify({ seq: 0, ...entry })}\n`;
        if (text.length < WRITE_BYTES) continue;
        await handle.appendFile(text);
        text = '';
      }
      await handle.appendFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, this.#path);
    await syncFolder(dirname(this.#path));
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}

const WRITE_BYTES = 256 * 1024;
