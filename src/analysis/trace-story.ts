/** One request's story over all servers, as `trace` tells it. */
import type { Evidence } from '../model/origin.js';

export interface TraceStep {
  /** Microseconds since the epoch. */
  readonly timeUs: number;
  /** null: it is not known who wrote it. */
  readonly server: string | null;
  /** What happened, in a sentence. */
  readonly what: string;
  readonly evidence: Evidence;
}

/** One Audit-ID is a claim of the client: it may stand for several requests, each with its own story. */
export interface TracedRequest {
  /** `GET /apis/batch/v1/jobs` or what is known of it. */
  readonly title: string;
  /** How it ended and where, in a sentence. */
  readonly outcome: string;
  /** In time order over all servers. */
  readonly steps: readonly TraceStep[];
}

export interface TraceStory {
  readonly auditID: string;
  readonly requests: readonly TracedRequest[];
  /** What could not be seen, and why. */
  readonly notes: readonly string[];
}
