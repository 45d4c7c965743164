/** Tells a process-log line that comes twice, as from a file given twice: same text, same microsecond. */
import type { LogLine } from '../model/record.js';

const GENERATION = 20_000;

export class RecentLines {
  #young = new Set<string>();
  #old = new Set<string>();

  /** True when the line was there before; remembers it otherwise. */
  seen(line: LogLine): boolean {
    const key = `${line.timeUs} ${line.text}`;
    if (this.#young.has(key) || this.#old.has(key)) return true;
    this.#young.add(key);
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    return false;
  }
}
