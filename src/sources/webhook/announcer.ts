/** Keeps messages of one kind from following each other closely, and tells how many were left out. */

const EVERY_MS = 60_000;

export class Announcer {
  readonly #kinds = new Map<string, { atMs: number; left: number }>();

  constructor(
    private readonly onMessage: (text: string) => void,
    private readonly now: () => number,
  ) {}

  /** `kind` is one of few. */
  say(kind: string, text: string): void {
    const last = this.#kinds.get(kind);
    const nowMs = this.now();
    if (last !== undefined && nowMs - last.atMs < EVERY_MS) {
      last.left++;
      return;
    }
    this.#kinds.set(kind, { atMs: nowMs, left: 0 });
    const left = last?.left ?? 0;
    this.onMessage(left === 0 ? text : `${text} (and ${left} more like it before)`);
  }
}
