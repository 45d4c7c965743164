/**
 * What a chunk left unfinished: the pieces of one line or value, joined only once its end is known. They are copies, so
 * that a few bytes do not hold a whole chunk, which may have gone to another thread meanwhile.
 */
export class Carry {
  length = 0;
  /** Stream offset of the first byte. */
  offset = 0;
  /** The line is known to be text, so there is no use in looking at it before its end. */
  isText = false;
  private pieces: Buffer[] = [];

  /** Adds bytes that follow those it holds; `offset` is their place in the stream. */
  add(bytes: Buffer, offset: number): void {
    if (this.length === 0) this.offset = offset;
    this.pieces.push(Buffer.from(bytes));
    this.length += bytes.length;
  }

  /** All it holds with `more` behind, in one buffer. */
  joined(more: Buffer): Buffer {
    return Buffer.concat([...this.pieces, more], this.length + more.length);
  }

  /** The same, and holds nothing afterwards. */
  take(more: Buffer): Buffer {
    const whole = this.joined(more);
    this.clear();
    return whole;
  }

  clear(): void {
    if (this.length > 0) this.pieces = [];
    this.length = 0;
    this.isText = false;
  }
}
