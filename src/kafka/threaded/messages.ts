/** What the thread of a consumer and the one that uses it say to each other. Everything in it can be cloned. */
import type { KafkaOptions } from '../kafkajs/index.js';
import type { Assigned, ConsumerOptions, MessageBatch, PartitionOffset, TopicPartition } from '../port.js';
import type { KafkaSettings } from '../settings.js';
import type { PlainError } from './errors.js';

/** What the thread is started with. Secrets go this way, and no other. */
export interface ThreadData {
  readonly settings: KafkaSettings;
  readonly times: ThreadTimes;
  readonly consumer: ConsumerOptions;
}

export type ThreadTimes = Omit<KafkaOptions, 'onMessage' | 'clock' | 'allocate'>;

/** Where to begin, as the handlers tell, or why they failed. */
export type Begins = readonly PartitionOffset[] | PlainError;

/**
 * `generation` counts what was revoked, as far as the sender had heard: what was meant for partitions that are given up
 * by then is not done to those that came after them.
 */
export type Order =
  | { readonly type: 'start' }
  | { readonly type: 'stop' }
  | { readonly type: 'pause' | 'resume'; readonly generation: number; readonly partitions: readonly TopicPartition[] }
  /** A batch of so many bytes has been handed on. */
  | { readonly type: 'taken'; readonly bytes: number }
  /** Memory of a batch that may be used again. */
  | { readonly type: 'memory'; readonly memory: ArrayBuffer }
  /** Answer to `assigned`. */
  | { readonly type: 'begin'; readonly id: number; readonly offsets: Begins }
  | {
      readonly type: 'commit';
      readonly id: number;
      readonly generation: number;
      readonly offsets: readonly PartitionOffset[];
    }
  | { readonly type: 'members'; readonly id: number };

export type Told =
  /** Answers `start` and `stop`, with the error when they failed. */
  | { readonly type: 'started'; readonly error: PlainError | undefined }
  | { readonly type: 'stopped'; readonly error: PlainError | undefined }
  | { readonly type: 'batch'; readonly batch: SentBatch }
  | { readonly type: 'end'; readonly partition: TopicPartition; readonly offset: number }
  | { readonly type: 'assigned'; readonly id: number; readonly assigned: readonly Assigned[] }
  | { readonly type: 'revoked' }
  | { readonly type: 'crash'; readonly error: PlainError }
  | { readonly type: 'says'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  /** Answer to `commit` and `members`. */
  | { readonly type: 'answer'; readonly id: number; readonly value: number | PlainError };

/** A batch on its way: its memory moves to the other thread. */
export type SentBatch = Omit<MessageBatch, 'bytes' | 'release'> & { readonly bytes: Uint8Array };

/** The memory that moves with a batch. */
export function memoryOf({ bytes, starts, ends, offsets, timestamps, senderOf }: MessageBatch): ArrayBuffer[] {
  return [bytes, starts, ends, offsets, timestamps, senderOf].map(({ buffer }) => buffer as ArrayBuffer);
}
