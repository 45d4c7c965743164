/** Joins what a runtime cut into pieces, stream by stream, as bytes: a cut may lie inside a character. */
import type { ProblemLog } from '../problem-log.js';

/** Streams that are joined at the same time. */
const MAX_OPEN = 64;

/** What was joined, with the place of its first piece. */
export interface Joined<Of> {
  readonly bytes: Buffer;
  readonly line: number;
  readonly offset: number;
  readonly of: Of;
}

interface Open<Of> extends Omit<Joined<Of>, 'bytes'> {
  pieces: Buffer[];
  length: number;
  tooLong: boolean;
}

export class Pieces<Of> {
  private readonly open = new Map<string, Open<Of>>();
  private held = 0;

  /** `maxBytes`: of one record, and of all pieces that wait. */
  constructor(
    private readonly maxBytes: number,
    private readonly problems: ProblemLog,
  ) {}

  /** Whether pieces of the stream wait for their last one. */
  has(key: string): boolean {
    return this.open.size > 0 && this.open.has(key);
  }

  /** Adds a piece that is not the last one. It is copied. */
  add(key: string, bytes: Buffer, line: number, offset: number, of: Of): void {
    const open = this.open.get(key) ?? this.begin(key, line, offset, of);
    if (open.tooLong) return;
    if (open.length + bytes.length > this.maxBytes || this.held + bytes.length > 2 * this.maxBytes) {
      this.problems.add('line-too-long', open.line, open.offset, 'pieces of a line that is above the size limit');
      this.held -= open.length;
      open.pieces = [];
      open.length = 0;
      open.tooLong = true;
      return;
    }
    open.pieces.push(Buffer.from(bytes));
    open.length += bytes.length;
    this.held += bytes.length;
  }

  /** Everything up to the last piece; undefined when it was too long. */
  end(key: string, last: Buffer, line: number, offset: number, of: Of): Joined<Of> | undefined {
    this.add(key, last, line, offset, of);
    return this.take(key);
  }

  /** What still waits, its end missing; nothing waits afterwards. */
  rest(): readonly Joined<Of>[] {
    return [...this.open.keys()].flatMap((key) => this.take(key) ?? []);
  }

  private begin(key: string, line: number, offset: number, of: Of): Open<Of> {
    const [oldest] = this.open.keys();
    if (this.open.size >= MAX_OPEN && oldest !== undefined) {
      const lost = this.take(oldest);
      if (lost !== undefined)
        this.problems.add('cut-line', lost.line, lost.offset, 'pieces of a line whose end did not come');
    }
    const open = { pieces: [], length: 0, tooLong: false, line, offset, of };
    this.open.set(key, open);
    return open;
  }

  private take(key: string): Joined<Of> | undefined {
    const open = this.open.get(key);
    if (open === undefined) return undefined;
    this.open.delete(key);
    this.held -= open.length;
    if (open.tooLong) return undefined;
    return { bytes: Buffer.concat(open.pieces, open.length), line: open.line, offset: open.offset, of: open.of };
  }
}
