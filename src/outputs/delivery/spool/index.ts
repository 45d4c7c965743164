/** The queue of one output with all that outlives the process: waiting messages, what was told, a lock. */
import { errorText } from '../../../model/error-text.js';
import { plural } from '../../../report/text/page.js';
import { errorCode } from '../../../sources/source.js';
import { OutputError } from '../../output.js';
import type { Ledger } from '../ledger.js';
import { FileStorage } from './file-storage.js';
import { FolderInUse, lockFolder } from './folder-lock.js';
import { parseWaiting } from './lines.js';
import { makeFolder } from './make-folder.js';
import { FileLog, forgetfulLog, type NotificationLog, readNotificationLog } from './notification-log.js';
import { Queue } from './queue.js';
import { MemoryStorage, type Place } from './storage.js';

export interface SpoolOptions {
  /** The output's own folder; null: everything is kept in memory and ends with the process. */
  readonly folder: string | null;
  /** Of waiting messages. While there is more, no new batch is taken. */
  readonly maxBytes: number;
  /** `always`: a message counts as kept when it is on the disk; `never`: when the system has it. */
  readonly fsync: 'always' | 'never';
}

export interface Spool {
  readonly queue: Queue;
  readonly log: NotificationLog;
  readonly where: string | null;
  close(): Promise<void>;
}

/** Of messages that wait in memory alone. */
const MAX_MEMORY_BYTES = 16 * 2 ** 20;

/** What was told and what waits goes to the ledger. Throws OutputError when the folder cannot be used. */
export async function openSpool(options: SpoolOptions, ledger: Ledger, say: (message: string) => void): Promise<Spool> {
  const { folder, maxBytes } = options;
  if (folder === null) {
    const queue = new Queue(new MemoryStorage(), Math.min(maxBytes, MAX_MEMORY_BYTES));
    return { queue, log: forgetfulLog, where: null, close: () => queue.close() };
  }
  try {
    return await openFolder(folder, options, ledger, say);
  } catch (error) {
    if (error instanceof FolderInUse) throw new OutputError(error.message, { cause: error });
    if (errorCode(error) === '') throw error;
    const words = errorText(error);
    throw new OutputError(`the spool ${folder} cannot be used: ${words}; give a folder that can be written`, {
      cause: error,
    });
  }
}

async function openFolder(
  folder: string,
  { maxBytes, fsync }: SpoolOptions,
  ledger: Ledger,
  say: (message: string) => void,
): Promise<Spool> {
  await makeFolder(folder);
  const unlock = await lockFolder(folder);
  try {
    const told = await readNotificationLog(folder, ledger);
    const storage = await FileStorage.open(folder, { fsync, segmentBytes: Math.max(64 * 1024, maxBytes / 32) });
    const queue = new Queue(storage, maxBytes, told.lastSeq, (reason) =>
      say(`the spool cannot be written, messages are kept in memory only: ${reason}`),
    );
    const log = new FileLog(folder, fsync);
    const damaged = told.damaged + (await restore(storage, queue, told.settled, ledger));
    if (damaged > 0)
      say(`${plural(damaged, 'damaged line')} left out in ${folder}: what it held is not known any more`);
    if (queue.size === 0) await log.rewrite(ledger, queue.lastSeq);
    const close = async () => {
      await queue.close();
      await log.close();
      await unlock();
    };
    return { queue, log, where: folder, close };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** Puts what waits back into the queue; gives the number of damaged lines. */
async function restore(
  storage: FileStorage,
  queue: Queue,
  settled: ReadonlySet<number>,
  ledger: Ledger,
): Promise<number> {
  const done: Place[] = [];
  let damaged = 0;
  for await (const { line, place } of storage.leftovers()) {
    const waiting = parseWaiting(line);
    if (waiting === undefined) damaged += 1;
    if (waiting === undefined || settled.has(waiting.seq) || queue.has(waiting.seq)) {
      done.push(place);
      continue;
    }
    queue.restore(waiting.seq, waiting.notice, place);
    ledger.apply(waiting.notice, true);
  }
  for (const place of done) await storage.release(place);
  await storage.sweep();
  return damaged;
}
