/** A file that is not compressed, whose content goes straight into memory that the decoding thread sees. */
import { isGzip } from '../../formats/index.js';
import type { ProblemReason } from '../../model/record.js';
import { type FileBytes, type Source, SourceError, tellFailure } from '../../sources/index.js';

export class PlainFile {
  private constructor(
    private readonly source: Source,
    private readonly bytes: FileBytes,
    private readonly onProblem: (reason: ProblemReason) => void,
  ) {}

  /** Undefined where chunks are to be taken: of what is no file, or is compressed, or cannot be opened. */
  static open(source: Source, onProblem: (reason: ProblemReason) => void): PlainFile | undefined {
    let bytes: FileBytes | undefined;
    try {
      bytes = source.openFile?.();
      const head = Buffer.alloc(2);
      if (bytes !== undefined && !isGzip(head.subarray(0, bytes.peek(head)))) {
        return new PlainFile(source, bytes, onProblem);
      }
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
    }
    bytes?.close();
    return undefined;
  }

  /** The next bytes, as many as the memory holds or there are; how many. A failure is told, and ends the file as its end does. */
  read(memory: SharedArrayBuffer): number {
    try {
      return this.bytes.read(new Uint8Array(memory));
    } catch (error) {
      tellFailure(this.source, error, this.onProblem);
      return 0;
    }
  }

  close(): void {
    this.bytes.close();
  }
}
