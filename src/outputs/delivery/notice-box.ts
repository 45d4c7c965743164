/** The waiting notices of one output, as its pump draws them. */
import { errorText } from '../../model/error-text.js';
import { attempt, reasonText } from './attempt.js';
import type { Clock } from './clock.js';
import type { Mailbox } from './pump.js';
import type { Letter, Settler } from './settler.js';
import type { Delivered, SendResult, Sink } from './sink.js';
import type { Queue } from './spool/queue.js';
import type { Tally } from './tally.js';

export interface NoticeBoxOptions {
  /** For one attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** A message that could not be delivered for so long is turned down. */
  readonly maxAgeMs: number;
  readonly clock: Clock;
}

export class NoticeBox implements Mailbox<Letter> {
  constructor(
    readonly queue: Queue,
    readonly sink: Sink,
    readonly settler: Settler,
    readonly tally: Tally,
    readonly options: NoticeBoxOptions,
  ) {}

  get size(): number {
    return this.queue.size;
  }

  get changed(): Promise<void> {
    return this.queue.changed;
  }

  get batch(): number {
    return this.sink.batch;
  }

  async next(count: number): Promise<Letter[]> {
    const letters: Letter[] = [];
    for (const entry of this.queue.head(count)) {
      try {
        const notice = await this.queue.read(entry);
        if (notice !== undefined) letters.push({ entry, notice });
        else await this.settler.lost(entry, 'the spool gave back a damaged line');
      } catch (error) {
        const reason = errorText(error);
        await this.settler.lost(entry, reasonText(`the spool cannot be read: ${reason}`));
      }
    }
    return letters;
  }

  /** Of another key: nothing overtakes a message of its own. One that cannot be read is met again when its turn comes. */
  async other({ entry }: Letter): Promise<Letter | undefined> {
    const found = this.queue.other(entry.key);
    const notice = found === undefined ? undefined : await this.queue.read(found).catch(() => undefined);
    return found === undefined || notice === undefined ? undefined : { entry: found, notice };
  }

  expired({ entry }: Letter, reason: string): string | undefined {
    const { maxAgeMs, clock } = this.options;
    if (clock.now() - entry.atMs <= maxAgeMs) return undefined;
    return `not delivered for ${Math.round(maxAgeMs / 3_600_000)} h; at last: ${reason}`;
  }

  send(letters: readonly Letter[], signal: AbortSignal): Promise<SendResult> {
    const notices = letters.map(({ notice }) => notice);
    return attempt(this.sink, notices, this.options.timeoutMs, this.options.clock, signal);
  }

  async delivered(letters: readonly Letter[], { answer }: Delivered): Promise<void> {
    this.tally.delivered(letters.length, answer);
    await this.settler.settle(letters, 'delivered');
  }

  async refused(letter: Letter, reason: string): Promise<void> {
    const where = await this.settler.keep(letter, reason);
    this.tally.refused(reason, where);
    await this.settler.settle([letter], 'refused');
  }
}
