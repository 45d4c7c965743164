/** What the receiver is given, what it hands on, and how much one sender may ask of it. */
import type { ListenAddress } from '../../config/listen-address.js';

export interface WebhookOptions {
  readonly listen: ListenAddress;
  readonly tls?: WebhookTls;
  /** Senders show it as `Authorization: Bearer TOKEN`. With `tls.clientCa` as well, both are needed. */
  readonly token?: string;
  /** Bodies that are being read or stored, together; 64 MiB by default. */
  readonly maxInFlightBytes?: number;
  /** One body, decompressed; 32 MiB by default. */
  readonly maxBodyBytes?: number;
  /** Resolves when the batch is safe: only then the sender forgets it. A batch may come again after any failure. */
  readonly store: (batch: WebhookBatch) => Promise<void>;
  /**
   * For how long a sender waits for `store`; 20 s by default, as an apiserver gives up 30 s after it began to send.
   * What is stored later counts as in flight until then, and comes again.
   */
  readonly storeTimeoutMs?: number;
  /** Takes audit events that no reader can make sense of; resolves when they are safe. Without it they are refused. */
  readonly deadLetter?: DeadLetter;
  /** What an operator should know; at most one message a minute of each kind. */
  readonly onMessage: (text: string) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly limits?: Partial<WebhookLimits>;
}

/** PEM texts. */
export interface WebhookTls {
  readonly cert: string;
  readonly key: string;
  /** Given: nobody connects without a certificate that one of these has signed. */
  readonly clientCa?: string;
}

export interface WebhookBatch {
  /** JSON of one EventList, decompressed and checked; of a dead letter, what came. */
  readonly body: Buffer;
  /** From the path, the client certificate or the remote address, in this order; never ''. */
  readonly server: string;
  /** From the path; '' when it names none. */
  readonly cluster: string;
  readonly receivedMs: number;
  readonly events: number;
}

export type DeadLetter = (batch: WebhookBatch, reason: string) => Promise<void>;

export interface WebhookCounters {
  readonly requests: number;
  /** Batches, their events and bytes that are safe. */
  readonly batches: number;
  readonly events: number;
  readonly bytes: number;
  readonly deadLetters: number;
  /** Answers by status. */
  readonly answers: Readonly<Record<number, number>>;
  /** Senders that went away in the midst of a body. */
  readonly aborted: number;
  /** TLS connections that failed: no certificate, a wrong one, no TLS at all. */
  readonly tlsFailures: number;
  /** Batches that are still being stored although their sender has been told to try again. */
  readonly overdue: number;
  /** Bytes of bodies now, and the most there ever were. */
  readonly heldBytes: number;
  readonly peakBytes: number;
}

export interface WebhookLimits {
  /** Beyond them the one that has been idle longest goes. */
  readonly connections: number;
  readonly headerBytes: number;
  /** TLS handshake, and the headers of a request. */
  readonly headersMs: number;
  /** A whole request; what takes longer has been given up by its sender. */
  readonly requestMs: number;
  /** Between two pieces of a body. */
  readonly stallMs: number;
  /** An idle connection: longer than the 90 s after which an apiserver closes it, so that it never posts into a closed one. */
  readonly idleMs: number;
  /** How often slow senders are looked for. */
  readonly checkMs: number;
  /** Of a body that was refused, read on so that the sender gets to see the answer. */
  readonly drainBytes: number;
  /** Content per compressed byte, once there is more than 1 MiB of it. */
  readonly gzipRatio: number;
}

export const WEBHOOK_LIMITS: WebhookLimits = {
  connections: 256,
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 30_000,
  stallMs: 10_000,
  idleMs: 120_000,
  checkMs: 2_000,
  drainBytes: 64 * 2 ** 20,
  gzipRatio: 250,
};
