/** Proxied requests between their telling and the batch that takes them to the outputs. */
import type { ProxiedRequest } from '../model/proxied-request.js';

/** About 50 MB of them: who wants more as spans narrows the time or watches. */
const LIMIT = 100_000;

export class RequestStore {
  #kept: ProxiedRequest[] = [];
  /** Requests that were not kept. */
  dropped = 0;

  constructor(readonly limit = LIMIT) {}

  readonly add = (requests: readonly ProxiedRequest[]): void => {
    const room = Math.max(0, this.limit - this.#kept.length);
    this.#kept.push(...requests.slice(0, room));
    this.dropped += Math.max(0, requests.length - room);
  };

  /** Hands over what was kept since the last time. */
  take(): readonly ProxiedRequest[] {
    const kept = this.#kept;
    this.#kept = [];
    return kept;
  }
}
