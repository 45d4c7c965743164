/**
 * Decodes the values of Kafka messages, one by one. Most are one bare audit event, which is decoded where it lies. All
 * others are read as if each were an input of its own, so that a damaged message cannot touch the next one.
 */
import { isUtf8 } from 'node:buffer';
import type { InputRef } from '../model/origin.js';
import type { AuditEvent, Problem, ProblemReason, Rec } from '../model/record.js';
import type { AuditDecoder } from './audit/decoder.js';
import { createFastDecoder } from './audit/index.js';
import { isBare } from './envelopes/merged.js';
import { contentOf } from './message-content.js';
import { type SenderName, UNNAMED } from './outbox.js';
import { RecordDecoder } from './record-decoder.js';

export interface MessageDecoderOptions {
  /** Name and cluster of what is read, a partition or a topic; its `kind` should be `kafka`. */
  readonly input: InputRef;
  readonly audit?: AuditDecoder;
  /** Longest value that is read, packed and unpacked, in bytes; 16 MiB by default. */
  readonly maxMessageBytes?: number;
}

/** What one message holds. The object and its arrays are used again for the next message; the records are not. */
export interface MessageResult {
  /** `offset` of each is that of the message, `line` the number of the record in the message, from 1. */
  readonly records: readonly Rec[];
  /** What could not be read, or is damaged; a message may hold good records beside. `line` of their origins is that of the text. */
  readonly problems: readonly Problem[];
  /** The records are the items of one EventList: one API server sent them, whoever it is. */
  readonly oneWriter: boolean;
}

export interface MessageCounters {
  messages: number;
  /** Bytes of values, as they were given. */
  bytes: number;
  records: number;
  /** Records whose sender an envelope names and that are not told apart from others: there are too many in one message. */
  unnamed: number;
  readonly problems: Map<ProblemReason, number>;
}

/**
 * A message gives the same whatever came before it. Never throws on any bytes.
 *
 * @example
 * const decoder = new MessageDecoder({ input });
 * const { records, problems } = decoder.decode(batch.bytes, start, end, offset);
 */
export class MessageDecoder {
  readonly counters: MessageCounters = { messages: 0, bytes: 0, records: 0, unnamed: 0, problems: new Map() };
  private readonly input: InputRef;
  private readonly audit: AuditDecoder;
  private readonly maxBytes: number;
  private readonly result: { records: Rec[]; problems: Problem[]; oneWriter: boolean };
  private readonly alone: Rec[] = [];
  /** Of each record of the last message, which sender it has; undefined when none is named. */
  private senders: SenderName[] | undefined;
  /** The memory that was looked through last, and whether all of it is UTF-8. */
  private seen: Buffer | undefined;
  private seenIsUtf8 = false;

  constructor({ input, audit = createFastDecoder(), maxMessageBytes = 16 * 1024 * 1024 }: MessageDecoderOptions) {
    this.input = input;
    this.audit = audit;
    this.maxBytes = maxMessageBytes;
    this.result = { records: this.alone, problems: [], oneWriter: false };
  }

  /**
   * The message `bytes[start, end)` with its offset in the partition; `timeUs` is when it was produced (0: unknown), from
   * which lines of klog have their year. Events refer to `bytes`, which must not be overwritten while they are used.
   */
  decode(bytes: Buffer, start: number, end: number, offset: number, timeUs = 0): MessageResult {
    const { counters, result } = this;
    counters.messages++;
    counters.bytes += end - start;
    result.oneWriter = false;
    this.senders = undefined;
    if (result.problems.length > 0) result.problems = [];
    const event = this.bareEvent(bytes, start, end, offset);
    if (event !== undefined) {
      this.alone[0] = event;
      result.records = this.alone;
    } else {
      result.records = [];
      if (end - start > this.maxBytes) this.refuse('line-too-long', 'a message above the size limit', offset);
      else if (end > start) this.read(bytes.subarray(start, end), offset, timeUs);
    }
    counters.records += result.records.length;
    return result;
  }

  /** The server that the envelope of a record of the last message names: a node where there is one, else a pod. '' where it names none. */
  writerOf(record: Rec): string {
    return this.senders?.[record.line - 1]?.writer ?? '';
  }

  /** The cluster that it names. */
  clusterOf(record: Rec): string {
    return this.senders?.[record.line - 1]?.cluster ?? '';
  }

  /** The hot path: the message is one event and nothing else. */
  private bareEvent(bytes: Buffer, start: number, end: number, offset: number): AuditEvent | undefined {
    const last = bytes[end - 1] === 10 ? end - 1 : end;
    if (bytes[start] !== 123 || end - start > this.maxBytes || !isBare(bytes, start, last)) return undefined;
    const told = this.audit.decode(bytes, start, last, 1, offset);
    return typeof told !== 'string' && told.timeUs !== 0 && this.isUtf8(bytes, start, last) ? told : undefined;
  }

  /** An event begins and ends with ASCII: if the memory around it is UTF-8, so is the event. */
  private isUtf8(bytes: Buffer, start: number, end: number): boolean {
    if (bytes !== this.seen) {
      this.seen = bytes;
      this.seenIsUtf8 = isUtf8(bytes);
    }
    return this.seenIsUtf8 || isUtf8(bytes.subarray(start, end));
  }

  private read(value: Buffer, offset: number, timeUs: number): void {
    const content = contentOf(value, this.maxBytes);
    if (!Buffer.isBuffer(content)) {
      this.refuse(content.reason, content.detail, offset);
      return;
    }
    const { result, input } = this;
    const decoder = new RecordDecoder(timeUs > 0 ? { ...input, yearHintUs: timeUs } : input, {
      audit: this.audit,
      maxLineBytes: this.maxBytes,
      onProblem: ({ reason, detail, origin }) =>
        result.problems.push({ reason, detail, origin: { input, line: origin.line, offset } }),
    });
    this.accept(decoder.feed(content), decoder, offset);
    this.accept(decoder.finish(), decoder, offset);
    result.oneWriter = decoder.counters.bodies === 1 && this.senders === undefined;
    this.counters.unnamed += decoder.counters.unnamed;
    for (const [reason, count] of decoder.counters.problems) this.count(reason, count);
  }

  private accept(records: readonly Rec[], decoder: RecordDecoder, offset: number): void {
    const { senderOf } = decoder;
    const all = this.result.records;
    if (senderOf !== undefined) this.senders ??= all.map(() => UNNAMED);
    records.forEach((record, at) => {
      this.senders?.push(decoder.senders[senderOf?.[at] ?? 0] ?? UNNAMED);
      all.push(record);
      place(record, all.length, offset);
    });
  }

  private refuse(reason: ProblemReason, detail: string, offset: number): void {
    this.result.problems.push({ reason, detail, origin: { input: this.input, line: 1, offset } });
    this.count(reason, 1);
  }

  private count(reason: ProblemReason, count: number): void {
    this.counters.problems.set(reason, (this.counters.problems.get(reason) ?? 0) + count);
  }
}

/** Nobody has seen the record yet. */
function place(record: { line: number; offset: number }, line: number, offset: number): void {
  record.line = line;
  record.offset = offset;
}
