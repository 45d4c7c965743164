/** What a session is made with: how much it fetches, and how mistakes of handlers are told from those of the network. */

const FETCH = {
  maxBytesPerPartition: 4 * 2 ** 20,
  // A message that is larger still comes: brokers give the first of a fetch whatever its size.
  maxBytes: 8 * 2 ** 20,
  rebalanceTimeout: 60_000,
  // New partitions of known topics are seen after this time at the latest.
  metadataMaxAge: 30_000,
};

const HEARTBEAT_MS = 1_000;

/** What kafkajs is told; two heartbeats may get lost before a session ends. */
export function timesOf(sessionMs: number) {
  const heartbeatInterval = Math.min(HEARTBEAT_MS, Math.floor(sessionMs / 3));
  return { ...FETCH, sessionTimeout: sessionMs, heartbeatInterval };
}

/** A handler threw: a mistake of this program, which trying again does not mend. */
export class HandlerError extends Error {
  constructor(readonly thrown: unknown) {
    super('a handler failed');
  }

  get reason(): Error {
    return this.thrown instanceof Error ? this.thrown : new Error(String(this.thrown));
  }
}
