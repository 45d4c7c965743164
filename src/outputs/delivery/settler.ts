/** Writes down what became of a message before it leaves the queue. */
import type { Clock } from './clock.js';
import type { Notice } from './notice.js';
import type { Sink } from './sink.js';
import { type DeadLetter, writeDeadLetter } from './spool/dead-letters.js';
import type { NotificationLog, Settled } from './spool/notification-log.js';
import type { Entry, Queue } from './spool/queue.js';

/** A waiting message and what it says. */
export interface Letter {
  readonly entry: Entry;
  readonly notice: Notice;
}

export class Settler {
  constructor(
    readonly queue: Queue,
    readonly sink: Sink,
    readonly log: NotificationLog,
    /** null: nothing outlives the process. */
    readonly folder: string | null,
    readonly clock: Clock,
    readonly onMessage: (message: string) => void,
  ) {}

  async settle(letters: readonly Letter[], outcome: Settled['outcome']): Promise<void> {
    try {
      await this.log.append(letters.map((letter) => settledOf(letter, outcome)));
    } catch (error) {
      // The receiver has it. Stopping here would send it again for sure.
      this.onMessage(`what was sent cannot be noted, so a restart may send it once more: ${String(error)}`);
    }
    for (const { entry } of letters) await this.#remove(entry);
  }

  /** Keeps what was turned down; gives the file, null without a folder. Throws when it cannot be kept: do not settle it then. */
  async keep(letter: Letter, reason: string): Promise<string | null> {
    const deadLetter: DeadLetter = {
      time: new Date(this.clock.now()).toISOString(),
      output: this.sink.name,
      reason,
      payload: this.sink.payload(letter.notice),
      notice: letter.notice,
    };
    return this.folder === null ? null : await writeDeadLetter(this.folder, deadLetter);
  }

  /** The message itself is gone; that is told loudly. */
  async lost(entry: Entry, reason: string): Promise<void> {
    this.onMessage(`a waiting message is lost: ${reason}`);
    await this.#remove(entry);
  }

  async #remove(entry: Entry): Promise<void> {
    try {
      await this.queue.settle(entry);
    } catch (error) {
      this.onMessage(`a settled message cannot be removed from the spool: ${String(error)}`);
    }
  }
}

function settledOf({ entry, notice }: Letter, outcome: Settled['outcome']): Settled {
  const { key, counter, kind, atMs, told } = notice;
  return { seq: entry.seq, key, counter, kind, atMs, told, outcome };
}
