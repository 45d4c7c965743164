/**
 * Tells a process-log line that was read again, as from a file given twice: same text, same microsecond. A server may
 * write the same line several times within one microsecond; then they stand one behind the other in one input, and so
 * they do in each copy of it. So there are as many of them as the copy with the most has.
 */
import type { InputRef } from '../model/origin.js';
import type { LogLine } from '../model/record.js';

const GENERATION = 20_000;
/** Copies of one line that are told apart; what is in further ones was read before. */
const COPIES = 32;

/** Where one copy has the line, the last time, and how often so far. */
interface Copy {
  readonly input: number;
  line: number;
  offset: number;
  times: number;
}

export class RecentLines {
  #young = new Map<string, Copy[]>();
  #old = new Map<string, Copy[]>();

  /** True when this very line was read before; remembers it otherwise. */
  seen(line: LogLine, input: InputRef): boolean {
    const key = `${line.timeUs} ${line.text}`;
    const copies = this.#young.get(key) ?? this.#old.get(key);
    if (copies === undefined) {
      this.#remember(key, [copyOf(line, input)]);
      return false;
    }
    const most = copies.reduce((times, copy) => Math.max(times, copy.times), 0);
    const copy = copies.find((each) => isNext(each, line, input));
    if (copy === undefined) {
      if (copies.length < COPIES) copies.push(copyOf(line, input));
      return true;
    }
    copy.line = line.line;
    copy.offset = line.offset;
    copy.times += 1;
    return copy.times <= most;
  }

  #remember(key: string, copies: Copy[]): void {
    this.#young.set(key, copies);
    if (this.#young.size < GENERATION) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}

function copyOf({ line, offset }: LogLine, input: InputRef): Copy {
  return { input: input.id, line, offset, times: 1 };
}

/** The line directly behind: the next one of a file, or of a message, or that of the next message. */
function isNext(copy: Copy, { line, offset, text }: LogLine, { id, kind }: InputRef): boolean {
  if (copy.input !== id) return false;
  if (kind === 'kafka' && offset !== copy.offset) return offset === copy.offset + 1 && line === copy.line;
  return line === copy.line + text.split('\n').length;
}
