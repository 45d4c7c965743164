/** Everything in a stream that is not JSON: klog text with its continuation lines, flags, metrics, and the rest. */
import type { InputRef } from '../model/origin.js';
import type { LogLine, ProblemReason } from '../model/record.js';
import { isDated } from './audit/timestamp.js';
import { readFlag, readMetricLine } from './documents/index.js';
import {
  type KlogHeader,
  looksLikeHeader,
  MAX_READ,
  MAX_TEXT,
  readHeader,
  TextLogLine,
  YearFinder,
} from './klog/index.js';
import type { Emit } from './outbox.js';
import { MAX_REPORTED, type ProblemLog } from './problem-log.js';

/** How the text that a process log holds without klog headers may begin. */
const PROCESS_TEXT = /^(?:Flag --|Error|error:|Usage|usage|panic|fatal|goroutine|\d{4}[/-]\d\d[/-]\d\d|\s)/;
/** Words that stand in the torn end of an audit event. */
const AUDIT_TAIL = /"(?:stageTimestamp|requestReceivedTimestamp|annotations|authorization\.k8s\.io\/decision)":/;

/** An event with something in front of it is not torn. */
const EVENT_START = '{"kind":"Event"';

interface OpenLine {
  readonly header: KlogHeader;
  readonly timeUs: number;
  readonly bodyStart: number;
  readonly line: number;
  readonly offset: number;
  raw: string;
  /** Inside a `key=<` value, which ends with a line that begins with ` >`. */
  inValue: boolean;
}

export class TextLines {
  private open: OpenLine | undefined;
  private sawKlog = false;
  private inExposition = false;
  private readonly years: YearFinder;
  private readonly yearIsKnown: boolean;
  /** A line comes without the others of its log. */
  private readonly isMessage: boolean;
  /** Lines of unknown kind before the stream has shown what it is: no damage if it proves to be a process log. */
  private held: { reason: ProblemReason; line: number; offset: number }[] | undefined = [];
  private heldMore = 0;

  constructor(
    input: InputRef,
    private readonly emit: Emit,
    private readonly problems: ProblemLog,
  ) {
    this.isMessage = input.kind === 'kafka';
    this.yearIsKnown = input.yearHintUs !== undefined;
    this.years = new YearFinder(input.yearHintUs ?? 0);
  }

  /** Whether a record is still being put together. */
  get hasOpen(): boolean {
    return this.open !== undefined;
  }

  /** Takes a log line in klog's JSON form; a FLAG line among them is a Flag. */
  takeJsonLog(log: LogLine): void {
    this.flush();
    if (!this.sawKlog) this.becomeProcessLog();
    this.learnYear(log.timeUs);
    this.emit(readFlag(log.message, log.timeUs, log.line, log.offset) ?? log);
  }

  /** An audit event of the same stream: lines of unknown kind before it were damage. */
  sawAudit(timeUs: number): void {
    if (this.open !== undefined) this.flush();
    if (this.held !== undefined) this.releaseHeld();
    this.learnYear(timeUs);
  }

  /** Whether a line that begins with white space must belong to the record before it, whatever it looks like. */
  continues(firstByte: number | undefined): boolean {
    return this.open !== undefined && (firstByte === 9 || firstByte === 32);
  }

  /** Takes one line without its line end. */
  take(bytes: Buffer, start: number, end: number, line: number, offset: number): void {
    const header = readHeader(bytes, start, end);
    if (header !== undefined) {
      this.startLog(header, bytes, start, end, line, offset);
      return;
    }
    const text = bytes.toString('utf8', start, Math.min(end, start + MAX_READ));
    if (this.open?.inValue === true) {
      this.append(text);
      return;
    }
    if (looksLikeHeader(bytes, start, end)) {
      this.flush();
      this.problems.add('cut-line', line, offset, 'a process-log line that ends inside its header');
      return;
    }
    this.takeOther(text, line, offset);
  }

  /** Hands out the record that waits for continuation lines. */
  flush(): void {
    const open = this.open;
    if (open === undefined) return;
    this.open = undefined;
    if (!isDated(open.timeUs)) {
      this.problems.add('bad-timestamp', open.line, open.offset, 'a line of a process log, and nothing tells its year');
      return;
    }
    this.emit(new TextLogLine(open.header, open.timeUs, open.raw, open.bodyStart, open.line, open.offset));
  }

  /** The end of the input. */
  finish(): void {
    this.flush();
    this.releaseHeld();
  }

  private startLog(header: KlogHeader, bytes: Buffer, start: number, end: number, line: number, offset: number): void {
    this.flush();
    if (!this.sawKlog) this.becomeProcessLog();
    const raw = bytes.toString('utf8', start, Math.min(end, start + MAX_READ));
    const timeUs = this.years.resolve(header.month, header.day, header.timeOfDayUs);
    const bodyStart = header.bodyStart - start;
    if (raw.startsWith('FLAG: --', bodyStart)) {
      const flag = readFlag(raw.slice(bodyStart), timeUs, line, offset);
      if (flag !== undefined) {
        this.emit(flag);
        return;
      }
    }
    this.open = { header, timeUs, bodyStart, line, offset, raw, inValue: raw.endsWith('=<') };
  }

  private append(text: string): void {
    const open = this.open;
    if (open === undefined) return;
    const limit = open.inValue ? MAX_READ : MAX_TEXT;
    if (open.raw.length < limit) open.raw += `\n${text.slice(0, limit)}`;
    if (open.inValue && text.startsWith(' >')) open.inValue = text.endsWith('=<');
  }

  private takeOther(text: string, line: number, offset: number): void {
    const flag = readFlag(text, 0, line, offset);
    const metric = flag ?? readMetricLine(text, this.inExposition, line, offset);
    if (metric === 'comment') this.inExposition = true;
    if (metric !== undefined) {
      this.flush();
      if (typeof metric !== 'string') this.emit(metric);
    } else if (
      text.endsWith('}') &&
      !text.includes(EVENT_START) &&
      (AUDIT_TAIL.test(text) || (this.open === undefined && text.includes('":')))
    ) {
      this.flush();
      this.problems.add('cut-line', line, offset, 'the end of a record whose beginning is missing');
    } else if (this.open !== undefined) this.append(text);
    else if (text.trim() !== '' && !this.sawKlog) this.hold(text, line, offset);
  }

  private hold(text: string, line: number, offset: number): void {
    if (this.isMessage && PROCESS_TEXT.test(text)) return;
    if (this.held === undefined) {
      this.problems.add('unknown-line', line, offset, 'neither a record nor text of a process log');
      return;
    }
    // The first line of a process log has a header, or is one of a few known texts; else it lacks its beginning.
    const reason = line === 1 && !PROCESS_TEXT.test(text) ? 'cut-line' : 'unknown-line';
    if (this.held.length < MAX_REPORTED) this.held.push({ reason, line, offset });
    else this.heldMore++;
  }

  private becomeProcessLog(): void {
    this.sawKlog = true;
    for (const { reason, line, offset } of this.held ?? [])
      if (reason === 'cut-line')
        this.problems.add(reason, line, offset, 'the end of a line whose beginning is missing');
    this.held = undefined;
    this.heldMore = 0;
  }

  private releaseHeld(): void {
    const { held, heldMore } = this;
    this.held = undefined;
    this.heldMore = 0;
    for (const { line, offset } of held ?? [])
      this.problems.add('unknown-line', line, offset, 'neither a record nor text of a process log');
    this.problems.addUnplaced('unknown-line', heldMore);
  }

  private learnYear(timeUs: number): void {
    if (!this.yearIsKnown && timeUs > 0) this.years.learn(timeUs);
  }
}
