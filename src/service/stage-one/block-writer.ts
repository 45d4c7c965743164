/** Collects what one partition of the input holds of one cluster, as the frames of a block. */
import type { ProblemReason, Rec } from '../../model/record.js';
import type { InputSender } from '../inputs.js';
import { type BlockHeader, FRAME, frameKind, writeBlock } from './block-format.js';
import { recordText } from './record-json.js';
import { slimInto } from './slim.js';

/** A place in the input, and what the record took there. */
export interface FramePlace {
  readonly sender: InputSender;
  /** Line in the message. */
  readonly line: number;
  readonly offset: number;
}

const FIRST_BYTES = 64 * 1024;
/** Indices of senders are 16 bits wide. */
const MAX_SENDERS = 0xffff;

export class BlockWriter {
  frames = 0;
  /** Bytes of all frames. */
  bytes = 0;
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  readonly #senders: InputSender[] = [];
  readonly #indices = new Map<InputSender, number>();
  #lastSender: InputSender | undefined;
  #lastIndex = 0;

  constructor(readonly cluster: string) {}

  get isFull(): boolean {
    return this.#senders.length >= MAX_SENDERS;
  }

  add(record: Rec, place: FramePlace): void {
    if (record.type !== 'audit') {
      const text = recordText(record);
      this.#text(frameKind.record, text, 1, place);
      return;
    }
    const size = record.end - record.start;
    const at = this.#frame(size);
    const end = slimInto(record, this.#buffer, at);
    this.#close(frameKind.audit, at, end, size, place);
  }

  problem(reason: ProblemReason, place: FramePlace): void {
    this.#text(frameKind.problem, reason, 0, place);
  }

  /** The block, and an empty writer again. */
  take(header: Omit<BlockHeader, 'v' | 'cluster' | 'senders' | 'frames'>): Buffer {
    const { cluster, frames } = this;
    const senders = this.#senders.splice(0);
    const block = writeBlock({ v: 1, ...header, cluster, senders, frames }, this.#buffer.subarray(0, this.bytes));
    this.frames = 0;
    this.bytes = 0;
    this.#indices.clear();
    this.#lastSender = undefined;
    return block;
  }

  #text(kind: number, text: string, size: number, place: FramePlace): void {
    const at = this.#frame(Buffer.byteLength(text));
    this.#close(kind, at, at + this.#buffer.write(text, at), size, place);
  }

  /** Makes room for a frame and so many bytes, and gives where they begin. */
  #frame(bytes: number): number {
    const needed = this.bytes + FRAME.bytes + bytes;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, this.bytes);
      this.#buffer = larger;
    }
    return this.bytes + FRAME.bytes;
  }

  #close(kind: number, at: number, end: number, size: number, { sender, line, offset }: FramePlace): void {
    const buffer = this.#buffer;
    const start = this.bytes;
    buffer[start + FRAME.kind] = kind;
    buffer.writeUInt16LE(this.#indexOf(sender), start + FRAME.sender);
    buffer.writeUInt32LE(line, start + FRAME.line);
    buffer.writeUInt32LE(size, start + FRAME.size);
    buffer.writeUInt32LE(end - at, start + FRAME.length);
    buffer.writeDoubleLE(offset, start + FRAME.offset);
    this.bytes = end;
    this.frames += 1;
  }

  #indexOf(sender: InputSender): number {
    if (sender === this.#lastSender) return this.#lastIndex;
    let index = this.#indices.get(sender);
    if (index === undefined) {
      index = this.#senders.push(sender) - 1;
      this.#indices.set(sender, index);
    }
    this.#lastSender = sender;
    this.#lastIndex = index;
    return index;
  }
}
