/** One request that a source apiserver passed on, or tried to: what spans are made of. */
import type { PeerCallCause } from './observations/index.js';

/** How one apiserver logged the request. Times in microseconds of that server's own clock. */
export interface RequestSide {
  readonly server: string;
  readonly receivedUs: number;
  /** null while the request was open when it was told. */
  readonly doneUs: number | null;
  /** Final status code; null while open. */
  readonly code: number | null;
  readonly input: string;
  readonly line: number;
}

export interface ProxiedRequest {
  readonly auditID: string;
  readonly cluster: string;
  readonly verb: string;
  /** Path and query as the client sent them: hostile text, of any length. */
  readonly requestURI: string;
  /** `jobs.batch/v1`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly userAgent: string;
  /** The client's own address and any proxies' before the source, as the source logged them, joined by ','. */
  readonly sourceIPs: string;
  readonly source: RequestSide;
  /** null: it reached no destination. */
  readonly destination: RequestSide | null;
  /** What the source's process log says of a failed hop. */
  readonly cause: PeerCallCause | null;
  /** Destination clock less source clock as estimated for this edge, in microseconds; 0 when unknown. */
  readonly skewUs: number;
  /** Other requests carry the same Audit-ID: the join is the best one, but not the only one possible. */
  readonly ambiguous: boolean;
}
