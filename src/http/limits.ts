/** How much one side of an HTTP connection may ask of this program; tests give smaller ones. */

export interface HttpLimits {
  /** Open connections; beyond them the one that has waited longest for nothing goes. */
  readonly connections: number;
  /** Request line and headers together. */
  readonly headerBytes: number;
  readonly targetLength: number;
  /** From the first byte of a connection, or of a request, to the end of the request. */
  readonly requestMs: number;
  /** From the end of a request until its answer is taken. */
  readonly answerMs: number;
  /** A connection without a request. */
  readonly idleMs: number;
  /** For answers that are under way when the server closes. */
  readonly closeMs: number;
}

export const HTTP_LIMITS: HttpLimits = {
  connections: 64,
  headerBytes: 16 * 1024,
  targetLength: 2048,
  requestMs: 10_000,
  answerMs: 30_000,
  idleMs: 15_000,
  closeMs: 2_000,
};
