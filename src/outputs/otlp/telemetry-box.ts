/** The waiting OTLP messages, as their pump draws them. */
import { errorText } from '../../model/error-text.js';
import { reasonText } from '../delivery/attempt.js';
import type { Mailbox } from '../delivery/pump.js';
import type { Delivered, SendResult } from '../delivery/sink.js';
import { writeDeadLetter } from '../delivery/spool/dead-letters.js';
import type { Tally } from '../delivery/tally.js';
import type { Backlog, Entry } from './backlog.js';
import { payloadLine } from './backlog.js';
import type { Payload } from './encode.js';
import type { ToldLog } from './told-log.js';

export interface TelemetryLetter {
  readonly entry: Entry;
  readonly payload: Payload;
}

export interface TelemetryBoxOptions {
  /** Of the output, for the file of what was turned down. */
  readonly name: string;
  /** Null: what is turned down is kept nowhere. */
  readonly folder: string | null;
  readonly now: () => number;
  readonly send: (payload: Payload, signal: AbortSignal) => Promise<SendResult>;
  readonly say: (message: string) => void;
}

export class TelemetryBox implements Mailbox<TelemetryLetter> {
  /** A message holds many spans already. */
  readonly batch = 1;

  constructor(
    readonly backlog: Backlog,
    readonly told: ToldLog,
    readonly tally: Tally,
    readonly options: TelemetryBoxOptions,
  ) {}

  get size(): number {
    return this.backlog.size;
  }

  get changed(): Promise<void> {
    return this.backlog.changed;
  }

  async next(): Promise<TelemetryLetter[]> {
    const entry = this.backlog.at(0);
    if (entry === undefined) return [];
    let words = 'the spool gave back a damaged line';
    try {
      const payload = await this.backlog.read(entry);
      if (payload !== undefined) return [{ entry, payload }];
    } catch (error) {
      words = `the spool cannot be read: ${errorText(error)}`;
    }
    this.tally.refused(reasonText(words), null, entry.count);
    await this.#remove(entry);
    return [];
  }

  /** One that cannot be read is met again when its turn comes. */
  async other(): Promise<TelemetryLetter | undefined> {
    const entry = this.backlog.at(1);
    const payload = entry === undefined ? undefined : await this.backlog.read(entry).catch(() => undefined);
    return entry === undefined || payload === undefined ? undefined : { entry, payload };
  }

  /** The room for what waits is bounded; its age is not. */
  expired(): undefined {
    return undefined;
  }

  async send([letter]: readonly TelemetryLetter[], signal: AbortSignal): Promise<SendResult> {
    if (letter === undefined) throw new RangeError('nothing to send');
    return this.options.send(letter.payload, signal);
  }

  async delivered(letters: readonly TelemetryLetter[], { answer, partial }: Delivered): Promise<void> {
    for (const { entry } of letters) {
      const rejected = Math.min(entry.count, partial?.rejected ?? 0);
      this.tally.delivered(entry.count - rejected, answer);
      const words = `rejected by the receiver: ${partial?.message ?? ''}`;
      if (rejected > 0) this.tally.refused(reasonText(words), null, rejected);
      await this.#settle(entry);
    }
  }

  /** Spans that cannot be kept do not hold up those behind them: the logs they were made of are the source. */
  async refused({ entry, payload }: TelemetryLetter, reason: string): Promise<void> {
    const { folder, name, now } = this.options;
    let where: string | null = null;
    let words = reason;
    try {
      const time = new Date(now()).toISOString();
      if (folder !== null) {
        where = await writeDeadLetter(folder, { time, output: name, reason, payload: payloadLine(payload) });
      }
    } catch (error) {
      words = `${reason}; and it cannot be kept: ${errorText(error)}`;
    }
    this.tally.refused(reasonText(words), where, entry.count);
    await this.#settle(entry);
  }

  async #settle(entry: Entry): Promise<void> {
    try {
      await this.told.note(entry.keys);
    } catch (error) {
      // The receiver has it. Stopping here would send it again for sure.
      this.options.say(`what was sent cannot be noted, so a restart may send it once more: ${String(error)}`);
    }
    await this.#remove(entry);
  }

  /** The entry has left the backlog even when its storage cannot be freed; a later process finds it noted. */
  async #remove(entry: Entry): Promise<void> {
    try {
      await this.backlog.settle(entry);
    } catch (error) {
      this.options.say(`a settled message cannot be removed from the spool: ${String(error)}`);
    }
  }
}
