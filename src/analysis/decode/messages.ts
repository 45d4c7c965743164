/** What the reading thread and the decoding thread say to each other. */
import type { SenderName, UnreadLine } from '../../formats/index.js';
import type { InputRef } from '../../model/origin.js';
import type { ProblemReason, Rec } from '../../model/record.js';
import type { Client, Target } from './facets.js';

/** To the decoding thread. `channel` numbers what is read: one input may be read twice. */
export type Order = Open | Columns | Fill;

export interface Open {
  readonly type: 'open';
  readonly channel: number;
  readonly input: InputRef;
  /** What it is given is content, or bytes that may be compressed. */
  readonly compressed: boolean;
}

/** Memory of columns that were read. */
export interface Columns {
  readonly type: 'columns';
  readonly channel: number;
  readonly columns: ArrayBuffer;
}

/** What an open channel goes on with. */
export type Fill =
  /** Content at the beginning of the memory, to be decoded where it is: gives one batch. */
  | { readonly type: 'content'; readonly channel: number; readonly memory: SharedArrayBuffer; readonly length: number }
  /** The next bytes of a compressed input. */
  | { readonly type: 'bytes'; readonly channel: number; readonly bytes: ArrayBuffer }
  /** Memory for the content of one more batch of a compressed input. */
  | { readonly type: 'memory'; readonly channel: number; readonly memory: SharedArrayBuffer }
  /** There are no more bytes. */
  | { readonly type: 'end'; readonly channel: number }
  /** No more is wanted. */
  | { readonly type: 'close'; readonly channel: number };

/** From the decoding thread. */
export type Answer = Batch | Taken | Closed;

/** No memory that was given for the channel is written into any more. */
export interface Closed {
  readonly type: 'closed';
  readonly channel: number;
}

/** So many pieces of raw bytes were taken, and there are no more. */
export interface Taken {
  readonly type: 'taken';
  readonly channel: number;
  readonly pieces: number;
}

/** The records of one chunk of content. Its content is in the oldest memory. */
export interface Batch {
  readonly type: 'batch';
  readonly channel: number;
  /** The input's last one: what was still waiting for its end. It has no memory of its own. */
  readonly last: boolean;
  /** Pieces of raw bytes that were taken since the last message. */
  readonly pieces: number;
  /** Bytes of content in its memory. */
  readonly length: number;
  /** Bytes of events that were put together from several chunks, each in memory of its own. */
  readonly apart: readonly ArrayBuffer[];
  /** The stretches of memory that were one buffer each. */
  readonly stretches: readonly Stretch[];
  /** Audit events, in rows; see EventColumns. */
  readonly events: number;
  readonly columns: ArrayBuffer;
  readonly names: readonly string[];
  /** All other records, and how many events come before each. */
  readonly others: readonly SentRecord[];
  readonly places: readonly number[];
  /** The number of each record's sender, in their order, if any is named; and the senders that are new, the first of all being nobody. */
  readonly senderOf: readonly number[] | undefined;
  readonly senders: readonly SenderName[];
  /** Content bytes and records so far. */
  readonly bytes: number;
  readonly records: number;
  /** All problems so far; undefined when none came since the last batch. */
  readonly problems: ReadonlyMap<ProblemReason, number> | undefined;
  /** New rows of the tables; with `anew` the tables begin anew before them. */
  readonly anew: boolean;
  readonly clients: readonly Client[];
  readonly targets: readonly Target[];
}

export interface Stretch {
  /** Which of `apart` it is, all of it; -1 for the batch's own memory. */
  readonly apart: number;
  readonly from: number;
  readonly length: number;
}

/** Lines of klog text go as they are: most of them are never asked for their message. */
export type SentRecord = Exclude<Rec, { type: 'audit' }> | UnreadLine;
