/** One input that the decoding thread decodes: content where it lies, or compressed bytes by way of memory that it is given. */
import { type AuditDecoder, decompress, RecordDecoder } from '../../formats/index.js';
import type { ProblemReason, Rec } from '../../model/record.js';
import type { BatchWriter, Counts } from './batch-writer.js';
import type { Answer, Fill, Open } from './messages.js';

export type Send = (answer: Answer, memories?: ArrayBuffer[]) => void;

export class Channel {
  readonly #id: number;
  readonly #compressed: boolean;
  readonly #decoder: RecordDecoder;
  readonly #problems = new Map<ProblemReason, number>();
  #told = 0;
  #senders = 0;
  readonly #contents: { readonly memory: SharedArrayBuffer; readonly length: number }[] = [];
  readonly #chunks: Buffer[] = [];
  readonly #memories: SharedArrayBuffer[] = [];
  #ended = false;
  #closed = false;
  /** Pieces taken that the other thread has not been told of. */
  #pieces = 0;
  #wake: () => void = () => {};

  constructor(
    order: Open,
    audit: AuditDecoder,
    private readonly writer: BatchWriter,
    private readonly send: Send,
  ) {
    this.#id = order.channel;
    this.#compressed = order.compressed;
    this.#decoder = new RecordDecoder(order.input, { audit });
  }

  take(order: Fill): void {
    if (order.type === 'bytes') this.#chunks.push(Buffer.from(order.bytes));
    else if (order.type === 'content') this.#contents.push(order);
    else if (order.type === 'memory') this.#memories.push(order.memory);
    else if (order.type === 'end') this.#ended = true;
    else this.#closed = true;
    this.#wake();
  }

  /** Ends with the input, or when it is closed. */
  async run(): Promise<void> {
    if (this.#compressed) await this.#decodeCompressed();
    else await this.#decodeContents();
    if (this.#closed) return;
    this.#send(this.#decoder.finish(), 0, undefined);
  }

  async #decodeContents(): Promise<void> {
    for (;;) {
      const content = this.#contents.shift();
      if (this.#closed) return;
      if (content !== undefined) this.#decode(content.memory, content.length);
      else if (this.#ended) return;
      else await this.#change();
    }
  }

  async #decodeCompressed(): Promise<void> {
    let memory: SharedArrayBuffer | undefined;
    let filled = 0;
    for await (const piece of decompress(this.#bytes(), (reason) => this.#count(reason))) {
      for (let at = 0; at < piece.length; ) {
        memory ??= await this.#nextMemory();
        if (memory === undefined) return;
        const part = piece.subarray(at, at + memory.byteLength - filled);
        new Uint8Array(memory).set(part, filled);
        at += part.length;
        filled += part.length;
        if (filled < memory.byteLength) continue;
        this.#decode(memory, filled);
        memory = undefined;
        filled = 0;
      }
    }
    if (memory !== undefined && !this.#closed) this.#decode(memory, filled);
  }

  /** Undefined when no more is wanted. */
  async #nextMemory(): Promise<SharedArrayBuffer | undefined> {
    while (this.#memories.length === 0 && !this.#closed) await this.#change();
    return this.#closed ? undefined : this.#memories.shift();
  }

  #decode(memory: SharedArrayBuffer, length: number): void {
    this.#send(this.#decoder.feed(Buffer.from(memory, 0, length)), length, memory);
  }

  /** Without memory it is the last batch. */
  #send(records: readonly Rec[], length: number, memory: SharedArrayBuffer | undefined): void {
    const last = memory === undefined;
    const head = { channel: this.#id, length, last, pieces: this.#takePieces() };
    this.send(...this.writer.write(records, head, this.#counts(), memory));
  }

  async *#bytes(): AsyncGenerator<Buffer> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (this.#closed) return;
      if (chunk !== undefined) {
        this.#pieces += 1;
        yield chunk;
      } else if (this.#ended) return;
      else {
        if (this.#pieces > 0) this.send({ type: 'taken', channel: this.#id, pieces: this.#takePieces() });
        await this.#change();
      }
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #takePieces(): number {
    const pieces = this.#pieces;
    this.#pieces = 0;
    return pieces;
  }

  #count(reason: ProblemReason): void {
    this.#problems.set(reason, (this.#problems.get(reason) ?? 0) + 1);
  }

  #counts(): Counts {
    const { senderOf, senders, counters } = this.#decoder;
    const fresh = senders.slice(this.#senders);
    this.#senders = senders.length;
    const { bytes, records } = counters;
    return { senderOf, senders: fresh, bytes, records, problems: this.#newProblems() };
  }

  /** All problems so far; undefined when there are no new ones. */
  #newProblems(): ReadonlyMap<ProblemReason, number> | undefined {
    const all = new Map(this.#decoder.counters.problems);
    for (const [reason, count] of this.#problems) all.set(reason, (all.get(reason) ?? 0) + count);
    let total = 0;
    for (const count of all.values()) total += count;
    if (total === this.#told) return undefined;
    this.#told = total;
    return all;
  }
}
