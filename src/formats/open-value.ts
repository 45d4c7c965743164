/** The JSON value being read, over any number of chunks: its end, its size, and what to do when it is damaged. */
import type { JsonValues } from './json/json-values.js';
import { ValueScanner } from './json/value-scanner.js';
import type { ListNesting } from './list-nesting.js';
import type { Place } from './place.js';
import type { ProblemLog } from './problem-log.js';
import { REWIND } from './resync.js';
import type { TextLines } from './text-lines.js';

export class OpenValue {
  /** Where in the bytes at hand it begins or goes on. */
  private start = 0;
  private offset = 0;
  private line = 0;
  /** `keep`: becomes a record. `drop`: too long. `tail`: what follows the items of a list. */
  private use: 'keep' | 'drop' | 'tail' = 'keep';
  private opensLine = false;
  private readonly scanner = new ValueScanner();

  constructor(
    private readonly place: Place,
    private readonly list: ListNesting,
    private readonly text: TextLines,
    private readonly values: JsonValues,
    private readonly maxBytes: number,
    private readonly problems: ProblemLog,
  ) {}

  /** A value begins with the brace at `at`. */
  begin(at: number): number {
    this.scanner.reset();
    this.use = 'keep';
    this.opensLine = !this.place.midLine;
    return this.open(at);
  }

  /** At `at` begins what follows the items of a list body, up to its closing brace. */
  beginTail(at: number): number {
    this.scanner.resetInsideObject();
    this.list.leaveItems();
    this.use = 'tail';
    this.opensLine = false;
    return this.open(at);
  }

  /** Reads on from `start`; gives the place behind the value, the end of the bytes, or where to go on behind damage. */
  resume(start: number): number {
    const { scanner, place } = this;
    const { bytes, base } = place;
    let at = scanner.scan(bytes, start, bytes.length, base);
    while (scanner.status === 'items' && this.use === 'keep') {
      if (this.beginsEvents(at)) {
        this.list.enterItems();
        return this.end(at);
      }
      at = scanner.scan(bytes, at, bytes.length, base);
    }
    if (scanner.status === 'bad') return this.damage(at);
    if (base + at - this.offset > this.maxBytes && this.use === 'keep') {
      this.problems.add('line-too-long', this.line, this.offset, 'a JSON value above the size limit');
      this.use = 'drop';
      place.carry.clear();
    }
    if (scanner.status === 'more') {
      if (this.use === 'keep') place.carryFrom(this.start);
      this.start = 0;
      return at;
    }
    if (this.use === 'keep') this.take(at);
    return this.end(at);
  }

  /** Nothing more comes. Whether something was lost by it. */
  breakOff(): boolean {
    this.place.line += this.scanner.newlines;
    if (this.use === 'tail') this.list.leave();
    if (this.use === 'drop') return false;
    this.problems.add('cut-line', this.line, this.offset, 'JSON that ends too early');
    return true;
  }

  private open(at: number): number {
    this.place.mode = 'value';
    this.start = at;
    this.offset = this.place.base + at;
    this.line = this.place.line;
    return at;
  }

  private take(end: number): void {
    const { bytes, bytesAreUtf8, carry, told } = this.place;
    if (carry.length > 0) {
      const whole = carry.take(bytes.subarray(0, end));
      this.values.take(whole, 0, whole.length, this.line, this.offset, false);
      return;
    }
    const known = told?.start === this.start && told.end === end ? told.verdict : undefined;
    this.values.take(bytes, this.start, end, this.line, this.offset, bytesAreUtf8, known);
  }

  private end(at: number): number {
    const { place } = this;
    place.line += this.scanner.newlines;
    place.mode = 'line';
    place.midLine = true;
    place.carry.clear();
    return at;
  }

  /** Whether the `items` that were just opened belong to a list of events, or may for all that is known so far. */
  private beginsEvents(at: number): boolean {
    const { bytes, carry } = this.place;
    const prefix = carry.joined(bytes.subarray(this.start, at)).toString('latin1');
    const isBody = prefix.includes('"EventList"');
    if (isBody) this.list.bodies++;
    if (isBody || prefix.includes('audit.k8s.io/')) return true;
    return !prefix.includes('"kind"') && !prefix.includes('"apiVersion"');
  }

  /** The value cannot go on at `at`. What follows it is read as if it had never been there. */
  private damage(at: number): number {
    const { place, scanner } = this;
    const onFirstLine = scanner.lineStart < 0;
    if (onFirstLine && this.isProcessText()) {
      place.mode = 'text';
      return place.lineOffset - place.base;
    }
    if (this.use !== 'drop') {
      const isCut = !onFirstLine || place.bytes[at] === 10;
      const reason = scanner.tooDeep ? 'json-too-deep' : isCut ? 'cut-line' : 'not-json';
      this.problems.add(reason, this.line, this.offset, isCut ? 'JSON that ends too early' : 'damaged JSON');
    }
    this.list.isHurt = true;
    if (onFirstLine) {
      place.mode = 'seek';
      return place.goBack(Math.max(this.offset + 1, place.base + at - REWIND), at);
    }
    place.line += scanner.newlines;
    place.lineOffset = scanner.lineStart;
    place.midLine = false;
    place.mode = 'line';
    if (this.use === 'tail') this.list.leave();
    return place.goBack(scanner.lineStart, at);
  }

  /** Braces that belong to the text of a process log, not to a record: `{0xc000…` in a stack trace. */
  private isProcessText(): boolean {
    const { place } = this;
    if (!this.opensLine || !this.text.hasOpen || place.carry.length > 0 || place.lineOffset < place.base) return false;
    return place.bytes[this.start + 1] !== 34;
  }
}
