/** One partition as a stream of records, as the engine takes them: of events as they came, or of blocks between the stages. */
import type { MessageBatch } from '../kafka/port.js';
import type { InputRef } from '../model/origin.js';
import type { Rec } from '../model/record.js';
import type { Progress } from './progress.js';
import type { Span } from './time-order.js';

/** Gives the slot that a record counts for; undefined for one that came too late. */
export type TakeRecord = (record: Rec, input: InputRef) => number | undefined;

export interface RecordStream {
  readonly topic: string;
  readonly partition: number;
  readonly ledger: StreamLedger;
  /** Event time of the record that was given last, in microseconds; undefined before the first. */
  readonly lastUs: number | undefined;
  readonly progress: Progress;
  /** One above the last offset of the partition, as far as is known. */
  readonly end: number;
  paused: boolean;
  /** Milliseconds since something was heard of the partition; of any clock. */
  heardAtMs: number;
  /** Bytes of batches that wait. */
  readonly queuedBytes: number;
  /** Messages that could not be read, or not all of them. */
  readonly damaged: number;
  /** Records whose sender was named and is not told apart from others, for there are too many. */
  readonly unnamed: number;
  /** The next offset that is to be fetched. */
  readonly received: number;
  /** Everything that the partition holds was given. */
  readonly isAtEnd: boolean;
  /** One above the highest offset of which a record was given, where offsets are not given in order. */
  readonly takenTo?: number;
  push(batch: MessageBatch): void;
  /** A fetch found nothing behind `offset`: what lies before it and was not handed out is no message. */
  reachedEnd(offset: number): void;
  /** Whether no more should be fetched, where each partition may hold `share` bytes. */
  isFull(share: number): boolean;
  /** Whether fetching may go on. */
  hasRoom(share: number): boolean;
  /** Time of the next record in microseconds, that of the one before it where it has none; undefined when none may be given. */
  nextUs(): number | undefined;
  /** Gives records as long as their times are in the span, at most so many. */
  give(span: Span, limit: number, take: TakeRecord): number;
}

export interface StreamLedger {
  /** The next offset to be taken. */
  readonly position: number;
  /** Everything below this offset belongs to closed slots. */
  readonly settled: number;
  /** Slots below are closed: what they needed may be forgotten. */
  closeBelow(slot: number): void;
}
