/** How far a long reading is, as one line on stderr that is written over. */
import { formatDuration } from '../model/time.js';
import type { Terminal } from './terminal.js';
import { formatBytes } from './units.js';

export interface ReadingState {
  readonly bytes: number;
  readonly totalBytes: number | null;
}

/** Short readings show nothing. */
const QUIET_MS = 1_000;
const REDRAW_MS = 200;
const CLEAR = '\r\x1b[K';

export class Progress {
  readonly #started: number;
  #drawn = 0;

  constructor(
    readonly terminal: Terminal,
    /** Off where stderr is no terminal, and by --no-progress. */
    readonly enabled: boolean,
  ) {
    this.#started = terminal.now();
  }

  update(state: ReadingState): void {
    const now = this.terminal.now();
    if (!this.enabled || now - this.#started < QUIET_MS || now - this.#drawn < REDRAW_MS) return;
    this.#drawn = now;
    this.terminal.stderr.write(`${CLEAR}${progressLine(state, now - this.#started)}`);
  }

  /** Takes the line away. */
  stop(): void {
    if (this.#drawn > 0) this.terminal.stderr.write(CLEAR);
    this.#drawn = 0;
  }
}

/** `reading 412.3 MB of 1.0 GB, 41 %, 310.0 MB/s, 2.0 s left` */
export function progressLine({ bytes, totalBytes }: ReadingState, elapsedMs: number): string {
  const rate = bytes / Math.max(1, elapsedMs);
  const speed = `${formatBytes(Math.round(rate * 1000))}/s`;
  if (totalBytes === null || totalBytes <= 0) return `reading ${formatBytes(bytes)}, ${speed}`;
  const share = Math.min(100, Math.floor((bytes / totalBytes) * 100));
  const leftUs = rate > 0 ? (Math.max(0, totalBytes - bytes) / rate) * 1000 : 0;
  return `reading ${formatBytes(bytes)} of ${formatBytes(totalBytes)}, ${share} %, ${speed}, ${formatDuration(leftUs)} left`;
}
