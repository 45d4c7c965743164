/** A klog text line as a LogLine; its message and fields are read when first asked for. */
import type { LogLine } from '../../model/record.js';
import { type KlogBody, readBody } from './fields.js';
import type { KlogHeader } from './header.js';

/** Characters of a record that are kept as its quotable text. */
export const MAX_TEXT = 2000;
/** Bytes of one record that are read at all: enough for the longest values that name a cause. */
export const MAX_READ = 64 * 1024;

/** A line whose message and fields nobody has asked for yet, as plain data. */
export interface UnreadLine extends Pick<LogLine, 'severity' | 'file' | 'timeUs' | 'line' | 'offset'> {
  readonly type: 'unread';
  readonly raw: string;
  readonly bodyStart: number;
}

export class TextLogLine implements LogLine {
  readonly type = 'log';
  readonly severity: LogLine['severity'];
  readonly file: string;
  private body: KlogBody | undefined;

  constructor(
    header: Pick<KlogHeader, 'severity' | 'file'>,
    readonly timeUs: number,
    private readonly raw: string,
    private readonly bodyStart: number,
    readonly line: number,
    readonly offset: number,
  ) {
    this.severity = header.severity;
    this.file = header.file;
  }

  static of(unread: UnreadLine): TextLogLine {
    return new TextLogLine(unread, unread.timeUs, unread.raw, unread.bodyStart, unread.line, unread.offset);
  }

  /** For another thread, where `of` makes a line of it again. */
  unread(): UnreadLine {
    const { severity, file, timeUs, raw, bodyStart, line, offset } = this;
    return { type: 'unread', severity, file, timeUs, raw, bodyStart, line, offset };
  }

  get message(): string {
    return this.read().message;
  }

  get fields(): ReadonlyMap<string, string> | undefined {
    return this.read().fields;
  }

  get text(): string {
    return this.raw.slice(0, MAX_TEXT);
  }

  private read(): KlogBody {
    this.body ??= readBody(this.raw.slice(this.bodyStart));
    return this.body;
  }
}
