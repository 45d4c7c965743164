/** Tells a certificate that one server has from one that all of them share: the name in a shared one names nobody. */

interface Bearer {
  address: string;
  seenMs: number;
  shared: boolean;
}

/** A server that comes back with another address has been away for a while. */
const MOVED_MS = 10 * 60_000;
const MAX_NAMES = 1024;

export class SharedNames {
  readonly #bearers = new Map<string, Bearer>();

  /** `onShared` is told once for each name. */
  constructor(private readonly onShared: (name: string) => void) {}

  /** Whether only this address has shown the name lately. Beyond 1024 names none is trusted any more. */
  isOwn(name: string, address: string, nowMs: number): boolean {
    const bearer = this.#bearers.get(name);
    if (bearer === undefined) {
      if (this.#bearers.size >= MAX_NAMES) return false;
      this.#bearers.set(name, { address, seenMs: nowMs, shared: false });
      return true;
    }
    if (bearer.shared) return false;
    if (bearer.address !== address && nowMs - bearer.seenMs < MOVED_MS) {
      bearer.shared = true;
      this.onShared(name);
      return false;
    }
    bearer.address = address;
    bearer.seenMs = nowMs;
    return true;
  }
}
