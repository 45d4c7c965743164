/** Where one assigned partition is read, and what of it waits to be handed out. */
import { type Allocate, type Incoming, pack } from '../pack.js';
import type { ConsumerHandlers, MessageBatch, TopicPartition } from '../port.js';
import type { SenderReader } from '../sender.js';
import type { BatchMessage } from './fetch-response.js';
import { type FetchedMessage, incomingOf } from './plain-messages.js';

/** A batch of kafkajs; it also has the offset that was asked for, which its types leave out. */
export interface KafkajsBatch {
  readonly topic: string;
  readonly partition: number;
  readonly highWatermark: string;
  readonly messages: readonly FetchedMessage[] | readonly BatchMessage[];
  readonly fetchedOffset?: string;
  lastOffset(): string;
}

/** What an event of kafkajs tells about a batch that it was done with. */
export interface SkippedRange {
  readonly firstOffset: string | null;
  readonly lastOffset: string;
  readonly highWatermark: string;
}

/** `gap`: what came does not go on where the last ended. */
export type Taken = 'taken' | 'ignored' | 'gap';

export class Place implements TopicPartition {
  /** The next offset to come. */
  position = 0;
  high = 0;
  /** Whether it is known where to begin; until then nothing is taken. */
  open = false;
  paused = false;
  /** Whether nothing came since the ends were last looked at. */
  quiet = true;
  readonly #waiting: MessageBatch[] = [];
  #gapAt = -1;

  constructor(
    readonly topic: string,
    readonly partition: number,
    readonly reader: SenderReader,
    readonly handlers: ConsumerHandlers,
    readonly allocate?: Allocate,
  ) {}

  /**
   * kafkajs may hand over what it fetched before a rebalance or a seek, so only what begins at the position is taken:
   * offsets are never skipped, never given twice.
   */
  take(batch: KafkajsBatch): Taken {
    if (!this.open) return 'ignored';
    const from = Number(batch.fetchedOffset ?? batch.messages[0]?.offset);
    const end = Number(batch.lastOffset()) + 1;
    if (!(from <= this.position && end > this.position)) return 'gap';
    const highWatermark = Number(batch.highWatermark);
    const { topic, partition } = this;
    this.#waiting.push(
      ...pack(
        { topic, partition, records: recordsOf(batch), highWatermark },
        this.position,
        this.reader,
        this.allocate,
      ),
    );
    this.#moveTo(end, highWatermark);
    return 'taken';
  }

  /** kafkajs went over records that are nobody's to read: control records, and what transactions have aborted. */
  skip({ firstOffset, lastOffset, highWatermark }: SkippedRange): Taken {
    // Without a first one, the last is what was asked for: compaction has removed the rest of a batch.
    const first = Number(firstOffset ?? lastOffset);
    const end = Number(lastOffset) + 1;
    if (!this.open || end <= this.position) return 'ignored';
    // Compaction leaves gaps that are no mistake: the same one again is taken.
    if (first > this.position && this.#gapAt !== first) {
      this.#gapAt = first;
      return 'gap';
    }
    this.#moveTo(end, Number(highWatermark));
    return 'taken';
  }

  /** Hands out what waits, until it is paused. */
  hand(): void {
    while (!this.paused) {
      const batch = this.#waiting.shift();
      if (batch === undefined) break;
      this.handlers.onBatch(batch);
    }
    this.tellEnd();
  }

  tellEnd(): void {
    if (this.open && !this.paused && this.#waiting.length === 0 && this.position >= this.high) {
      this.handlers.onEnd({ topic: this.topic, partition: this.partition }, this.position);
    }
  }

  /** Begins to take what comes, from here. */
  begin(position: number, high: number): void {
    this.position = position;
    this.high = high;
    this.open = true;
  }

  #moveTo(position: number, high: number): void {
    this.position = position;
    this.high = high;
    this.quiet = false;
  }
}

function recordsOf({ messages }: KafkajsBatch): readonly Incoming[] {
  const [first] = messages;
  if (first === undefined) return [];
  if (!('records' in first)) return [incomingOf(messages as readonly FetchedMessage[])];
  return (messages as readonly BatchMessage[]).flatMap(({ records }) => records ?? []);
}
