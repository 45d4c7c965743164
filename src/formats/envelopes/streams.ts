/** The readers of what stands in envelopes: one for each writer and stream, as their lines may come in any mixture. */
import type { InputRef } from '../../model/origin.js';
import { HOUR } from '../../model/time.js';
import type { AuditDecoder } from '../audit/decoder.js';
import { JsonValues, type ObjectReader } from '../json/json-values.js';
import type { Emit } from '../outbox.js';
import type { ProblemLog } from '../problem-log.js';
import { TextLines } from '../text-lines.js';
import type { Sender } from './sender.js';

/** Streams that are kept open; the one that was silent for longest gives way. */
const MAX_STREAMS = 128;
/** How far collection times may go on before text lines look for their year anew. */
const YEAR_SPAN = 12 * HOUR;

export interface Stream {
  readonly text: TextLines;
  readonly values: JsonValues;
  readonly timeUs: number;
}

export class Streams {
  private readonly open = new Map<string, Stream>();

  constructor(
    private readonly input: InputRef,
    private readonly audit: AuditDecoder,
    private readonly emit: Emit,
    private readonly problems: ProblemLog,
    private readonly objects: ObjectReader,
  ) {}

  of(sender: Sender): Stream {
    const key = `${sender.cluster}\n${sender.writer}\n${sender.stream}`;
    const known = this.open.get(key);
    if (known !== undefined) {
      this.open.delete(key);
      if (Math.abs(sender.timeUs - known.timeUs) < YEAR_SPAN || sender.timeUs === 0) {
        this.open.set(key, known);
        return known;
      }
      known.text.finish();
    }
    const [oldest] = this.open.keys();
    if (this.open.size >= MAX_STREAMS && oldest !== undefined) this.close(oldest);
    const stream = this.begin(sender);
    this.open.set(key, stream);
    return stream;
  }

  /** Hands out the log lines that wait for continuation lines. */
  flush(): void {
    for (const { text } of this.open.values()) text.flush();
  }

  finish(): void {
    for (const key of [...this.open.keys()]) this.close(key);
  }

  private begin(sender: Sender): Stream {
    const { timeUs } = sender;
    const input = timeUs > 0 ? { ...this.input, yearHintUs: timeUs } : this.input;
    const emit: Emit = (record, own = sender) => this.emit(record, own);
    const text = new TextLines(input, emit, this.problems);
    const values = new JsonValues(input, this.audit, text, emit, this.problems, this.objects);
    return { text, values, timeUs };
  }

  private close(key: string): void {
    this.open.get(key)?.text.finish();
    this.open.delete(key);
  }
}
