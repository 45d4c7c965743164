/** What a kind of receiver has to know: how to send, and what an answer means. When and how often is not its business. */
import type { Notice } from './notice.js';

export type SendResult =
  | Delivered
  | {
      /** It may go better later. */
      readonly outcome: 'retry';
      readonly reason: string;
      /** The receiver's own wish. */
      readonly afterMs?: number;
      /** It was reached and failed on this very message: others may go through. */
      readonly answered: boolean;
    }
  | {
      /** It will never be taken. */
      readonly outcome: 'refused';
      readonly reason: string;
      /** There is nobody at this address for messages of the kind. */
      readonly absent?: true;
    };

export interface Delivered {
  readonly outcome: 'delivered';
  readonly answer: string;
  /** What the receiver left out all the same, and its words; or a remark on none of them. */
  readonly partial?: { readonly rejected: number; readonly message: string };
}

export interface Sink {
  /** For people: unique among the outputs, without secrets. */
  readonly name: string;
  /** Most notices that are sent together. */
  readonly batch: number;
  /** Open incidents are sent again after so many milliseconds, for receivers that forget what they do not hear of. */
  readonly remindMs?: number;
  /** What is sent, without secrets, for the file of what was turned down. */
  payload(notice: Notice): string;
  /** Tries once. May throw: that is told and tried again. Ends soon after the signal is aborted. */
  send(notices: readonly Notice[], signal: AbortSignal): Promise<SendResult>;
  close(): Promise<void>;
}
