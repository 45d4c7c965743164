/**
 * The events of the last moments, not as objects but as places in the chunks they were read from: almost all of them
 * turn out to be of interest to nobody, and then cost one entry in a table of numbers. What is looked for later is read
 * again from its bytes.
 */
import type { AuditEvent } from '../../model/record.js';

/** Reads an event again from its place. */
export type Reread = (
  bytes: Buffer,
  start: number,
  end: number,
  line: number,
  offset: number,
) => AuditEvent | undefined;

/** Of a busy cluster; there may be many clusters with few events. */
const MOST_ENTRIES = 1 << 16;
const FIRST_ENTRIES = 1 << 12;
/** Chunks are let go, the oldest first, when they hold more bytes than this together. */
const CHUNK_BYTES = 8 * 1024 * 1024;
const CHUNKS = 8_192;

/** Whoever lends the bytes: what is kept for rereading is not to be overwritten until it is let go. */
export interface Keeper {
  /** The bytes that stay as they are from now on: these, or a copy. */
  keep(bytes: Buffer): Buffer;
  letGo(kept: Buffer): void;
}

/** What is known of an event without reading it again. */
export interface Place {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly offset: number;
  /** Number of the life it belongs to, and of its resource. */
  readonly life: number;
  readonly resource: number;
  readonly receivedUs: number;
}

/** Bytes as events name them, and what is kept of them. */
interface Chunk {
  readonly bytes: Buffer;
  readonly kept: Buffer;
}

export class RecentEvents {
  /** Entries stand in a circle; `next` leads to the entry before with the same bucket, by its running number. */
  #heads = new Float64Array(FIRST_ENTRIES).fill(-1);
  #next = new Float64Array(FIRST_ENTRIES).fill(0);
  #hashes = new Int32Array(FIRST_ENTRIES).fill(0);
  #chunkOf = new Float64Array(FIRST_ENTRIES).fill(0);
  #starts = new Int32Array(FIRST_ENTRIES).fill(0);
  #ends = new Int32Array(FIRST_ENTRIES).fill(0);
  #lines = new Float64Array(FIRST_ENTRIES).fill(0);
  #offsets = new Float64Array(FIRST_ENTRIES).fill(0);
  #lives = new Int32Array(FIRST_ENTRIES).fill(0);
  #resources = new Int32Array(FIRST_ENTRIES).fill(0);
  #received = new Float64Array(FIRST_ENTRIES).fill(0);
  #size = FIRST_ENTRIES;
  #mask = FIRST_ENTRIES - 1;
  #count = 0;

  /** Chunks by running number; those below `#oldestChunk` were let go. */
  readonly #chunks = new Map<number, Chunk>();
  readonly #numbers = new Map<Buffer, number>();
  #oldestChunk = 0;
  #newestChunk = -1;
  #bytes = 0;
  #lastBytes: Buffer | undefined;
  #lastNumber = -1;

  constructor(private readonly keeper?: Keeper) {}

  put(hash: number, event: AuditEvent, life: number, resource: number): void {
    const number = this.#count;
    if (number === this.#size && number < MOST_ENTRIES) this.#grow();
    this.#count += 1;
    const at = number & this.#mask;
    const bucket = hash & this.#mask;
    this.#next[at] = this.#heads[bucket] as number;
    this.#heads[bucket] = number;
    this.#hashes[at] = hash;
    this.#chunkOf[at] = event.bytes === this.#lastBytes ? this.#lastNumber : this.#numberOf(event.bytes);
    this.#starts[at] = event.start;
    this.#ends[at] = event.end;
    this.#lines[at] = event.line;
    this.#offsets[at] = event.offset;
    this.#lives[at] = life;
    this.#resources[at] = resource;
    this.#received[at] = event.receivedUs;
  }

  /** The newest entry with the hash, older than entry `before`; -1 when there is none (any more). */
  find(hash: number, before: number = Number.POSITIVE_INFINITY): number {
    let number =
      before === Number.POSITIVE_INFINITY
        ? (this.#heads[hash & this.#mask] as number)
        : (this.#next[before & this.#mask] as number);
    while (number >= 0 && number > this.#count - this.#size) {
      const at = number & this.#mask;
      // An older entry may lie in a younger chunk: inputs are read at different speeds.
      if (this.#hashes[at] === hash && (this.#chunkOf[at] as number) >= this.#oldestChunk) return number;
      number = this.#next[at] as number;
    }
    return -1;
  }

  lifeOf(entry: number): number {
    return this.#lives[entry & this.#mask] as number;
  }

  receivedUsOf(entry: number): number {
    return this.#received[entry & this.#mask] as number;
  }

  /** True when the entry's bytes are the event's bytes, one for one. */
  sameBytes(entry: number, event: AuditEvent): boolean {
    const at = entry & this.#mask;
    const start = this.#starts[at] as number;
    const end = this.#ends[at] as number;
    if (end - start !== event.end - event.start) return false;
    const bytes = this.#chunks.get(this.#chunkOf[at] as number)?.kept;
    return bytes !== undefined && bytes.compare(event.bytes, event.start, event.end, start, end) === 0;
  }

  place(entry: number): Place | undefined {
    const at = entry & this.#mask;
    const bytes = this.#chunks.get(this.#chunkOf[at] as number)?.kept;
    if (bytes === undefined) return undefined;
    return {
      bytes,
      start: this.#starts[at] as number,
      end: this.#ends[at] as number,
      line: this.#lines[at] as number,
      offset: this.#offsets[at] as number,
      life: this.#lives[at] as number,
      resource: this.#resources[at] as number,
      receivedUs: this.#received[at] as number,
    };
  }

  /** When the circle is full for the first time: entries stand in it by their numbers still. */
  #grow(): void {
    this.#size *= 2;
    this.#mask = this.#size - 1;
    this.#hashes = wider(this.#hashes, new Int32Array(this.#size));
    this.#chunkOf = wider(this.#chunkOf, new Float64Array(this.#size));
    this.#starts = wider(this.#starts, new Int32Array(this.#size));
    this.#ends = wider(this.#ends, new Int32Array(this.#size));
    this.#lines = wider(this.#lines, new Float64Array(this.#size));
    this.#offsets = wider(this.#offsets, new Float64Array(this.#size));
    this.#lives = wider(this.#lives, new Int32Array(this.#size));
    this.#resources = wider(this.#resources, new Int32Array(this.#size));
    this.#received = wider(this.#received, new Float64Array(this.#size));
    this.#heads = new Float64Array(this.#size).fill(-1);
    this.#next = new Float64Array(this.#size);
    for (let number = 0; number < this.#count; number += 1) {
      const bucket = (this.#hashes[number] as number) & this.#mask;
      this.#next[number] = this.#heads[bucket] as number;
      this.#heads[bucket] = number;
    }
  }

  #numberOf(bytes: Buffer): number {
    this.#lastBytes = bytes;
    this.#lastNumber = this.#numbers.get(bytes) ?? this.#add(bytes);
    return this.#lastNumber;
  }

  #add(bytes: Buffer): number {
    const kept = this.keeper?.keep(bytes) ?? bytes;
    this.#newestChunk += 1;
    this.#chunks.set(this.#newestChunk, { bytes, kept });
    this.#numbers.set(bytes, this.#newestChunk);
    this.#bytes += bytes.length;
    while ((this.#bytes > CHUNK_BYTES || this.#chunks.size > CHUNKS) && this.#oldestChunk < this.#newestChunk) {
      const oldest = this.#chunks.get(this.#oldestChunk);
      if (oldest !== undefined) {
        this.#bytes -= oldest.bytes.length;
        this.#chunks.delete(this.#oldestChunk);
        this.#numbers.delete(oldest.bytes);
        if (this.#lastBytes === oldest.bytes) this.#lastBytes = undefined;
        this.keeper?.letGo(oldest.kept);
      }
      this.#oldestChunk += 1;
    }
    return this.#newestChunk;
  }
}

function wider<T extends Float64Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
