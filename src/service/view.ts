/** What the service shows of itself over HTTP. */
import type { Analysis } from '../model/analysis.js';
import type { ProxiedRequest } from '../model/proxied-request.js';

export interface PartitionStatus {
  readonly topic: string;
  readonly partition: number;
  /** Next offset to be read; committed offset; one above the last. */
  readonly position: number;
  readonly committed: number | null;
  readonly end: number;
  /** Event time of the latest record, in microseconds; null before the first. */
  readonly eventTimeUs: number | null;
  readonly paused: boolean;
  readonly unreadable: number;
  /** Records whose sender was named and is not told apart from others: there are too many. */
  readonly unnamed: number;
}

export interface SinkStatus {
  readonly name: string;
  readonly delivered: number;
  readonly waiting: number;
  readonly refused: number;
  /** Why what waits has not been taken; '' when nothing does. */
  readonly failure: string;
  /** The receiver is not reached. */
  readonly isFailing: boolean;
}

export interface ServiceStatus {
  readonly version: string;
  readonly startedAtMs: number;
  readonly phase: 'starting' | 'catching-up' | 'live' | 'stopping';
  /** Of the event-time window that is judged now, in microseconds; null before the first record. */
  readonly window: { readonly fromUs: number; readonly toUs: number } | null;
  readonly records: number;
  readonly recordsPerSecond: number;
  readonly members: number;
  readonly partitions: readonly PartitionStatus[];
  readonly sinks: readonly SinkStatus[];
  /** What an operator should know, newest last; bounded. */
  readonly notes: readonly { readonly atMs: number; readonly message: string }[];
  /** Last change of rules and configuration, and why the last attempt failed; '' when it did not. */
  readonly configLoadedAtMs: number;
  readonly configFailure: string;
}

export interface ServiceView {
  status(): ServiceStatus;
  /** Reasons why the process cannot go on; empty while it can. */
  deadReasons(): readonly string[];
  /** Reasons why the service is not ready: not joined, too far behind, a sink that cannot be reached. */
  unreadyReasons(): readonly string[];
  /** What was judged last; undefined before the first judgement. */
  analysis(): Analysis | undefined;
  /** Latest proxied requests, newest first; at most 200. */
  recentRequests(): readonly ProxiedRequest[];
}
