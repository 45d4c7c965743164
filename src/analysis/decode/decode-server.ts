/** The decoding thread's part: takes raw bytes of inputs from a port, and answers with batches of records. */
import type { MessagePort } from 'node:worker_threads';
import { createFastDecoder, decompress, RecordDecoder } from '../../formats/index.js';
import type { ProblemReason } from '../../model/record.js';
import { BatchWriter, type Counts, type OpenBatch } from './batch-writer.js';
import type { Answer, Order } from './messages.js';

/** Bytes decoded at once: their events are put into columns while they are still in the processor's cache. */
const STEP = 256 * 1024;

/** Serves the port until it is closed. A failure to decode is thrown, and ends the thread. */
export function serveDecoding(port: MessagePort): void {
  const audit = createFastDecoder();
  const writer = new BatchWriter();
  const channels = new Map<number, Channel>();
  const send = (answer: Answer, memories: ArrayBuffer[] = []) => port.postMessage(answer, memories);
  port.on('message', (order: Order) => {
    if (order.type === 'open') {
      const channel = new Channel(
        order.channel,
        order.compressed,
        new RecordDecoder(order.input, { audit }),
        writer,
        send,
      );
      channels.set(order.channel, channel);
      void channel.run().then(() => {
        channels.delete(order.channel);
        send({ type: 'closed', channel: order.channel });
      });
    } else if (order.type === 'columns') writer.spare.push(...order.columns);
    else channels.get(order.channel)?.take(order);
  });
}

/** One input that is being decoded. */
class Channel {
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
    private readonly id: number,
    private readonly compressed: boolean,
    private readonly decoder: RecordDecoder,
    private readonly writer: BatchWriter,
    private readonly send: (answer: Answer, memories?: ArrayBuffer[]) => void,
  ) {}

  take(order: Order): void {
    if (order.type === 'bytes') this.#chunks.push(Buffer.from(order.bytes));
    else if (order.type === 'content') this.#contents.push(order);
    else if (order.type === 'memory') this.#memories.push(order.memory);
    else if (order.type === 'end') this.#ended = true;
    else if (order.type === 'close') this.#closed = true;
    this.#wake();
  }

  /** Ends with the input, or when it is closed. */
  async run(): Promise<void> {
    if (this.compressed) await this.#decodeCompressed();
    else await this.#decodePlain();
    if (this.#closed) return;
    const batch = this.writer.begin(undefined);
    batch.add(this.decoder.finish(), this.#counts());
    this.#send(batch, 0, true);
  }

  async #decodePlain(): Promise<void> {
    for (;;) {
      const content = this.#contents.shift();
      if (this.#closed) return;
      if (content !== undefined) this.#decode(content.memory, content.length);
      else if (this.#ended) return;
      else await this.#change();
    }
  }

  async #decodeCompressed(): Promise<void> {
    const content = decompress(this.#raw(), (reason) => {
      this.#problems.set(reason, (this.#problems.get(reason) ?? 0) + 1);
    });
    let memory: SharedArrayBuffer | undefined;
    let filled = 0;
    for await (const piece of content) {
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

  /** Between the beginning of a batch and its sending nothing else may run: the tables might begin anew. */
  #decode(memory: SharedArrayBuffer, length: number): void {
    const batch = this.writer.begin(memory);
    for (let at = 0; at < length; at += STEP) {
      const bytes = Buffer.from(memory, at, Math.min(STEP, length - at));
      batch.add(this.decoder.feed(bytes), this.#counts());
    }
    this.#send(batch, length, false);
  }

  #send(batch: OpenBatch, length: number, last: boolean): void {
    this.send(...this.writer.finish(batch, this.id, length, last, this.#takePieces()));
  }

  async *#raw(): AsyncGenerator<Buffer> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (this.#closed) return;
      if (chunk !== undefined) {
        this.#pieces += 1;
        yield chunk;
      } else if (this.#ended) return;
      else {
        if (this.#pieces > 0) this.send({ type: 'taken', channel: this.id, pieces: this.#takePieces() });
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

  #counts(): Counts {
    const { senderOf, senders, counters } = this.decoder;
    const fresh = senders.slice(this.#senders);
    this.#senders = senders.length;
    const { bytes, records } = counters;
    return { senderOf, senders: fresh, bytes, records, problems: this.#newProblems() };
  }

  #newProblems(): ReadonlyMap<ProblemReason, number> | undefined {
    const all = new Map(this.decoder.counters.problems);
    for (const [reason, count] of this.#problems) all.set(reason, (all.get(reason) ?? 0) + count);
    let total = 0;
    for (const count of all.values()) total += count;
    if (total === this.#told) return undefined;
    this.#told = total;
    return all;
  }
}
