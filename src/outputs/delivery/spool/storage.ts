/** Where waiting messages lie: in memory, or in files that outlive the process. */

/** A message's place in its storage. */
export interface Place {
  readonly segment: number;
  readonly offset: number;
  /** In bytes. */
  readonly length: number;
}

export interface Storage {
  /** Bytes held, with those of settled messages that could not be freed yet. */
  readonly bytes: number;
  /** The folder; null for memory. */
  readonly where: string | null;
  /** Returns when the lines are as safe as the storage makes them. Throws what the system says. */
  append(lines: readonly string[]): Promise<Place[]>;
  read(place: Place): Promise<string>;
  /** The message is settled; frees what is no longer needed. */
  release(place: Place): Promise<void>;
  close(): Promise<void>;
}

export class MemoryStorage implements Storage {
  readonly where = null;
  readonly #lines = new Map<number, string>();
  #next = 1;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  async append(lines: readonly string[]): Promise<Place[]> {
    return lines.map((line) => {
      const place = { segment: this.#next++, offset: 0, length: Buffer.byteLength(line) };
      this.#lines.set(place.segment, line);
      this.#bytes += place.length;
      return place;
    });
  }

  async read({ segment }: Place): Promise<string> {
    const line = this.#lines.get(segment);
    if (line === undefined) throw new RangeError('the message was settled already');
    return line;
  }

  async release({ segment, length }: Place): Promise<void> {
    if (this.#lines.delete(segment)) this.#bytes -= length;
  }

  async close(): Promise<void> {}
}
