/** What one partition of the topic between the stages holds of one partition of the input: blocks that wait to be taken. */
import { timeOf } from '../../analysis/survey.js';
import { partitionLine } from '../../model/origin.js';
import type { ProblemReason, Rec } from '../../model/record.js';
import { isOneTooMany, type ServiceInput } from '../inputs.js';
import type { ReaderContext } from '../message-reader.js';
import { OffsetLedger } from '../offset-ledger.js';
import { Progress } from '../progress.js';
import type { TakeRecord } from '../record-stream.js';
import { type BlockHeader, FRAME, frameKind, type PartitionState } from '../stage-one/block-format.js';
import { recordOf } from '../stage-one/record-json.js';
import type { Span } from '../time-order.js';

/** A block with frames: `bytes.subarray(at, end)`. */
export interface Block {
  /** In the topic between the stages. */
  readonly offset: number;
  readonly header: BlockHeader;
  readonly bytes: Buffer;
  readonly at: number;
  readonly end: number;
}

export interface OriginOptions {
  readonly context: ReaderContext;
  /** Records of closed windows at offsets below were taken by an earlier process, and are not late. */
  readonly takenBelow: number;
  /** Hears of a block that is taken. */
  readonly onTaken: (block: Block) => void;
  /** Hears of a frame that holds no record. */
  readonly onDamaged: () => void;
  /** Hears of a record whose sender is one too many to be told apart. */
  readonly onUnnamed: () => void;
}

/** Bytes decoded at once: events refer to them, and whoever remembers events counts the memory of their neighbours. */
const STEP_BYTES = 128 * 1024;

export class OriginStream {
  readonly ledger: OffsetLedger;
  /** Event time below which nothing more is to be expected, in microseconds; undefined when unknown. */
  us: number | undefined;
  /** Everything that the partition of the input held was read. */
  ended = false;
  /** Offset of the block that told so last. */
  heardOffset = -1;
  /** Milliseconds since others wait for it; undefined while they don't. */
  awaitedSinceMs: number | undefined;
  /** It was waited for too long. */
  ignored = false;
  /** Event time of the record that was given last, in microseconds; undefined before the first. */
  lastUs: number | undefined;
  readonly progress = new Progress();
  readonly #options: OriginOptions;
  readonly #blocks: Block[] = [];
  /** Where the next frame of the first block begins. */
  #frame = 0;
  #at = 0;
  #records: (Rec | ProblemReason)[] = [];
  #inputs: ServiceInput[] = [];
  #sizes: number[] = [];
  #inputOf: (ServiceInput | undefined)[] = [];

  constructor(
    readonly topic: string,
    readonly partition: number,
    position: number,
    options: OriginOptions,
  ) {
    this.ledger = new OffsetLedger(position);
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#records.length && this.#blocks.length === 0;
  }

  /** Offset of the block that is taken now, or next; undefined when none waits. */
  get blockOffset(): number | undefined {
    return this.#blocks[0]?.offset;
  }

  hear({ us, end }: PartitionState, offset: number): void {
    if (us !== null) this.us = us;
    this.ended = end;
    this.heardOffset = offset;
    this.awaitedSinceMs = undefined;
    this.ignored = false;
  }

  push(block: Block): void {
    if (this.#blocks.length === 0) this.#begin(block);
    this.#blocks.push(block);
  }

  /** Time of the next record in microseconds, that of the one before it where it has none; undefined when none waits. */
  nextUs(): number | undefined {
    while (this.#at >= this.#records.length) if (!this.#decode()) return undefined;
    const record = this.#records[this.#at] as Rec | ProblemReason;
    const time = typeof record === 'string' ? 0 : timeOf(record);
    return time > 0 ? time : (this.lastUs ?? 0);
  }

  /** Gives records of one block, as long as their times are in the span, at most so many; see RecordStream. */
  give({ fromUs, untilUs }: Span, limit: number, take: TakeRecord): number {
    let given = 0;
    while (given < limit) {
      const time = given > 0 && this.#at >= this.#records.length ? undefined : this.nextUs();
      if (time === undefined || time > untilUs || time < fromUs) break;
      this.#giveOne(take);
      this.lastUs = time;
      this.progress.note(time);
      this.#at += 1;
      given += 1;
    }
    if (this.#at >= this.#records.length) this.#dropTaken();
    return given;
  }

  #giveOne(take: TakeRecord): void {
    const { context, takenBelow } = this.#options;
    const record = this.#records[this.#at] as Rec | ProblemReason;
    const input = this.#inputs[this.#at] as ServiceInput;
    const offset = this.blockOffset ?? 0;
    if (typeof record === 'string') {
      input.problem(context.currentSlot(), record);
      return;
    }
    const slot = take(record, input.ref);
    if (slot !== undefined) {
      input.count(slot, 1, this.#sizes[this.#at] as number);
      this.ledger.note(slot, offset);
    } else if (offset >= takenBelow) input.problem(context.currentSlot(), 'late');
  }

  /** Decodes some frames of the first block; false when there is none. */
  #decode(): boolean {
    this.#at = 0;
    this.#records = [];
    this.#inputs = [];
    this.#sizes = [];
    this.#dropTaken();
    const block = this.#blocks[0];
    if (block === undefined) return false;
    const from = this.#frame;
    let to = from;
    do to += FRAME.bytes + lengthAt(block, to);
    while (to < block.end && to + FRAME.bytes + lengthAt(block, to) <= from + STEP_BYTES);
    const bytes = block.bytes.subarray(from, Math.min(to, block.end));
    for (let at = 0; at < bytes.length; at += FRAME.bytes + bytes.readUInt32LE(at + FRAME.length)) {
      if (!isFrame(bytes, at) || !this.#read(block, bytes, at)) {
        // What does not end where it should was cut, or is of another program: the rest of the block cannot be read.
        this.#options.onDamaged();
        to = block.end;
        break;
      }
    }
    this.#frame = to;
    return true;
  }

  #read({ header }: Block, bytes: Buffer, at: number): boolean {
    const start = at + FRAME.bytes;
    const end = start + bytes.readUInt32LE(at + FRAME.length);
    const offset = bytes.readDoubleLE(at + FRAME.offset);
    const sender = bytes.readUInt16LE(at + FRAME.sender);
    const input = this.#inputAt(header, sender);
    const inMessage = bytes.readUInt32LE(at + FRAME.line);
    const line = input.ref.partitioned === true ? partitionLine(this.partition, inMessage) : inMessage;
    const record = this.#recordOf(bytes, at, start, end, line, offset);
    if (record === undefined) return false;
    if (isOneTooMany(header.senders[sender] ?? NOBODY, input)) this.#options.onUnnamed();
    this.#records.push(record);
    this.#inputs.push(input);
    this.#sizes.push(bytes.readUInt32LE(at + FRAME.size));
    return true;
  }

  #recordOf(
    bytes: Buffer,
    at: number,
    start: number,
    end: number,
    line: number,
    offset: number,
  ): Rec | ProblemReason | undefined {
    switch (bytes[at + FRAME.kind]) {
      case frameKind.audit: {
        const told = this.#options.context.audit.decode(bytes, start, end, line, offset);
        return typeof told === 'string' ? undefined : told;
      }
      case frameKind.record:
        return recordOf(bytes.toString('utf8', start, end), line, offset);
      case frameKind.problem:
        return bytes.toString('utf8', start, end) as ProblemReason;
      default:
        return undefined;
    }
  }

  #inputAt({ cluster, senders }: BlockHeader, index: number): ServiceInput {
    const known = this.#inputOf[index];
    if (known !== undefined) return known;
    const { inputs } = this.#options.context;
    const { server, boot } = senders[index] ?? NOBODY;
    const input =
      boot === ''
        ? inputs.of(this.topic, this.partition, { server, cluster })
        : inputs.ofBoot(this.topic, this.partition, cluster, boot);
    this.#inputOf[index] = input;
    return input;
  }

  /** The first block, when all of it was given. */
  #dropTaken(): void {
    const block = this.#blocks[0];
    if (block === undefined || this.#frame < block.end) return;
    this.#blocks.shift();
    const next = this.#blocks[0];
    if (next !== undefined) this.#begin(next);
    this.#options.onTaken(block);
  }

  #begin({ offset, at }: Block): void {
    this.#frame = at;
    this.#inputOf = [];
    this.ledger.advance(offset);
  }
}

const NOBODY = { server: '', boot: '' };

function lengthAt({ bytes, end }: Block, at: number): number {
  return at + FRAME.bytes <= end ? bytes.readUInt32LE(at + FRAME.length) : 0;
}

function isFrame(bytes: Buffer, at: number): boolean {
  return at + FRAME.bytes <= bytes.length && at + FRAME.bytes + bytes.readUInt32LE(at + FRAME.length) <= bytes.length;
}
