/** One deflate stream, given piece by piece; tells where it ended, and keeps what it gave before an error. */
import { createInflateRaw, type InflateRaw } from 'node:zlib';

/** Compressed bytes worked on at once: with deflate's greatest ratio they give 17 MB. */
export const STEP = 16 * 1024;

export interface InflateStep {
  readonly content: readonly Buffer[];
  /** Compressed bytes of the step that belonged to the stream. */
  readonly used: number;
  /** The stream has ended within the step. */
  readonly ended: boolean;
  /** What is wrong with the stream; it gives nothing more. */
  readonly failure: string | undefined;
}

export class Inflate {
  private readonly engine: InflateRaw = createInflateRaw({ chunkSize: 64 * 1024 });
  private content: Buffer[] = [];
  private failure: string | undefined;
  /** Ends the waiting for a step: of one that fails after it gave much content, the engine never says that it is done. */
  private settle: () => void = () => {};

  constructor() {
    this.engine.on('data', (content: Buffer) => this.content.push(content));
    this.engine.on('error', (error) => {
      this.failure = error.message;
      this.settle();
    });
  }

  /** Works on at most STEP bytes. */
  async step(bytes: Buffer): Promise<InflateStep> {
    const before = this.engine.bytesWritten;
    await new Promise<void>((resolve) => {
      this.settle = resolve;
      this.engine.write(bytes, () => resolve());
    });
    // Reading hands what is still buffered to the listener.
    while (this.failure === undefined && this.engine.read() !== null);
    const content = this.content;
    this.content = [];
    const used = this.engine.bytesWritten - before;
    return { content, used, ended: this.failure === undefined && used < bytes.length, failure: this.failure };
  }

  close(): void {
    this.engine.destroy();
  }
}
