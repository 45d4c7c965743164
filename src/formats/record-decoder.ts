/**
 * Bytes of one input, in any chunking, to records. Here the input's head (byte order mark), runs of NUL bytes and
 * the counters are dealt with; what lies between them goes to the line reader.
 */
import type { InputRef } from '../model/origin.js';
import type { Problem, ProblemReason, Rec } from '../model/record.js';
import type { AuditDecoder } from './audit/decoder.js';
import { createFastDecoder } from './audit/index.js';
import { LineReader } from './line-reader.js';
import { skipNuls } from './nul-runs.js';
import { Outbox, type SenderName } from './outbox.js';
import { ProblemLog } from './problem-log.js';

export interface RecordDecoderOptions {
  readonly audit?: AuditDecoder;
  /** Longest line or JSON value that becomes one record, in bytes; 16 MiB by default. Arrays and EventLists may be longer. */
  readonly maxLineBytes?: number;
  /** Told the first problems of each reason; all of them are in `counters.problems`. */
  readonly onProblem?: (problem: Problem) => void;
}

export interface DecoderCounters {
  /** Bytes fed, after decompression. */
  bytes: number;
  lines: number;
  records: number;
  readonly problems: Map<ProblemReason, number>;
  /** EventLists, as an audit webhook gets them: the items of each are of one server. */
  bodies: number;
  /** Records whose envelope names a sender beyond the number that is told apart. */
  unnamed: number;
}

/**
 * Decodes one input. Records of one input come in the order in which they end.
 * Events refer to the chunks they were read from, so a chunk must not be overwritten after it was fed.
 * Never throws on any bytes.
 *
 * @example
 * const decoder = new RecordDecoder({ id: 0, name: 'audit.log', kind: 'file' });
 * for await (const chunk of stream) consume(decoder.feed(chunk));
 * consume(decoder.finish());
 */
export class RecordDecoder {
  readonly counters: DecoderCounters;
  /** Of each record given last, which of `senders` it has; undefined when no envelope names any. */
  senderOf: readonly number[] | undefined;
  private readonly problems: ProblemLog;
  private readonly lines: LineReader;
  private readonly outbox = new Outbox();
  /** The first bytes, until there are enough to know a byte order mark. */
  private head: Buffer | undefined = Buffer.alloc(0);
  private inNulRun = false;
  private unreadable = false;
  private lastByte = 10;

  constructor(input: InputRef, options: RecordDecoderOptions = {}) {
    this.problems = new ProblemLog(input, options.onProblem);
    this.counters = { bytes: 0, lines: 0, records: 0, bodies: 0, unnamed: 0, problems: this.problems.counts };
    this.lines = new LineReader(
      input,
      options.audit ?? createFastDecoder(),
      options.maxLineBytes ?? 16 * 1024 * 1024,
      this.outbox.emit,
      this.problems,
    );
  }

  /** Takes the next bytes of the input and gives the records that end in them. */
  feed(chunk: Buffer): Rec[] {
    if (chunk.length === 0) return [];
    this.counters.bytes += chunk.length;
    this.lastByte = chunk[chunk.length - 1] as number;
    const base = this.counters.bytes - chunk.length;
    if (this.head === undefined) this.feedBody(chunk, base);
    else this.feedHead(chunk);
    return this.handOut();
  }

  /**
   * Gives the log line that waits for continuation lines. For live streams that have gone quiet; a continuation
   * that comes later is left out.
   */
  idle(): Rec[] {
    this.lines.flush();
    return this.handOut();
  }

  /** The end of the input: gives what was still waiting. */
  finish(): Rec[] {
    const head = this.head;
    this.head = undefined;
    if (head !== undefined && head.length > 0) this.feedBody(head, 0);
    this.lines.finish();
    const records = this.handOut();
    if (this.lastByte !== 10) this.counters.lines++;
    this.lastByte = 10;
    return records;
  }

  /** Who wrote the records of this input, as the envelopes around them say; the first is nobody. It only grows. */
  get senders(): readonly SenderName[] {
    return this.outbox.names;
  }

  private handOut(): Rec[] {
    const { records, senders } = this.outbox.take();
    this.senderOf = senders;
    this.counters.records += records.length;
    this.counters.bodies = this.lines.bodies;
    this.counters.unnamed = this.outbox.unnamed;
    this.counters.lines = this.lines.line - 1;
    return records;
  }

  private feedHead(chunk: Buffer): void {
    const head = this.head?.length ? Buffer.concat([this.head, chunk]) : chunk;
    if (head.length < 3) {
      this.head = head;
      return;
    }
    this.head = undefined;
    if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) {
      this.unreadable = true;
      this.problems.add('not-utf8', 1, 0, 'the whole input is UTF-16: convert it to UTF-8');
    }
    const hasMark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
    this.feedBody(hasMark ? head.subarray(3) : head, hasMark ? 3 : 0);
  }

  private feedBody(chunk: Buffer, base: number): void {
    if (this.unreadable) return;
    let at = 0;
    while (at < chunk.length) {
      if (chunk[at] === 0) {
        if (!this.inNulRun) {
          this.lines.breakOff();
          this.problems.add('nul-bytes', this.lines.line, base + at, 'a run of NUL bytes');
        }
        this.inNulRun = true;
        at = skipNuls(chunk, at);
        continue;
      }
      this.inNulRun = false;
      const nul = chunk.indexOf(0, at);
      const end = nul < 0 ? chunk.length : nul;
      this.lines.feed(at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end), base + at);
      at = end;
    }
  }
}
