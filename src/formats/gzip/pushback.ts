/** Chunks of a source that can be looked at before they are taken, and put back. */
export class Pushback {
  private readonly chunks: AsyncIterator<Buffer>;
  private waiting: Buffer[] = [];

  constructor(source: AsyncIterable<Buffer>) {
    this.chunks = source[Symbol.asyncIterator]();
  }

  /** The next chunk, never empty; undefined at the end. */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      const waiting = this.waiting.shift();
      const chunk = waiting ?? (await this.pull());
      if (chunk === undefined || chunk.length > 0) return chunk;
    }
  }

  /** Puts bytes back in front of everything else. */
  putBack(bytes: Buffer): void {
    if (bytes.length > 0) this.waiting.unshift(bytes);
  }

  /** Looks at the next bytes, at least `count` of them unless the source ends before. */
  async peek(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let length = 0;
    while (length < count) {
      const chunk = await this.next();
      if (chunk === undefined) break;
      parts.push(chunk);
      length += chunk.length;
    }
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, length);
    this.putBack(whole);
    return whole;
  }

  /** Takes `count` bytes away, fewer at the end. */
  async drop(count: number): Promise<void> {
    const bytes = await this.peek(count);
    this.waiting.shift();
    this.putBack(bytes.subarray(count));
  }

  /** Ends the source early. */
  async close(): Promise<void> {
    await this.chunks.return?.();
  }

  private async pull(): Promise<Buffer | undefined> {
    const result = await this.chunks.next();
    return result.done === true ? undefined : result.value;
  }
}
