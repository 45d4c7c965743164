/**
 * A first look at the head of every file: when it begins, so that files can be merged by time and opened only when
 * their time comes, and in which year, which klog text does not say.
 */
import { OwnClient } from '../correlate/identity/own-client.js';
import type { InputRef } from '../model/origin.js';
import type { Rec } from '../model/record.js';
import { HOUR } from '../model/time.js';
import type { Source } from '../sources/index.js';
import { InputReader } from './input-reader.js';
import type { RecordReader } from './record-reader.js';

/** klog times may be so much later than the first audit event and still be of its year. */
const AHEAD = 180 * 24 * HOUR;
/** Content to look through, in bytes; so much more where nothing is dated, or where bodies are as large as many events. */
const LOOK = 1 << 20;
const LONG_LOOK = 4 << 20;
/** Files that are looked at side by side. */
const AT_ONCE = 4;

export interface Surveyed {
  readonly source: Source;
  readonly input: InputRef;
  /** Time of the first dated record; -Infinity when it was not looked for (it cannot be read twice) or not found. */
  readonly beginsAt: number;
}

/**
 * Inputs sorted and numbered by name, so that the order in which they were given means nothing; what an audit
 * webhook collected, and what servers write by turns, stands last, so that of two copies of an event the one whose
 * writer is known comes first.
 */
export async function survey(
  sources: readonly Source[],
  signal: AbortSignal | undefined,
  open: (input: InputRef, source: Source) => RecordReader = (input, source) => new InputReader(input, source),
): Promise<Surveyed[]> {
  const sorted = [...sources].sort((a, b) => (a.input.name < b.input.name ? -1 : a.input.name > b.input.name ? 1 : 0));
  const looks = sorted.map((source) => ({ source, head: NOTHING }));
  await Promise.all(Array.from({ length: AT_ONCE }, (_, lane) => lookAt(looks, lane, signal, open)));
  const audit = looks.map(({ head }) => head.auditAt).filter((at) => at > 0);
  const year = audit.length === 0 ? undefined : Math.max(...audit) + AHEAD;
  const isCollected = ({ head }: { head: Head }) => head.bodies || head.mixed;
  const numbered = [...looks.filter((look) => !isCollected(look)), ...looks.filter(isCollected)];
  return numbered.map(({ source, head }, id) => ({
    source,
    input: {
      ...source.input,
      id,
      ...(head.mixed ? { mixed: true } : {}),
      ...(year === undefined ? {} : { yearHintUs: year }),
    },
    beginsAt: head.dated === undefined ? Number.NEGATIVE_INFINITY : redated(head.dated, head.auditAt, year),
  }));
}

/** Looks at every so many-th source, one after the other. */
async function lookAt(
  looks: { readonly source: Source; head: Head }[],
  lane: number,
  signal: AbortSignal | undefined,
  open: (input: InputRef, source: Source) => RecordReader,
): Promise<void> {
  for (let at = lane; at < looks.length; at += AT_ONCE) {
    const entry = looks[at];
    if (entry === undefined || signal?.aborted === true) return;
    const { input, live } = entry.source;
    if (input.kind === 'file' && !live) entry.head = await look(open({ ...input, id: 0 }, entry.source));
  }
}

interface Head {
  readonly dated: number | undefined;
  readonly auditAt: number;
  /** Many events stand on one line: EventLists. */
  readonly bodies: boolean;
  /** Several apiservers write here by turns. */
  readonly mixed: boolean;
}

const NOTHING: Head = { dated: undefined, auditAt: 0, bodies: false, mixed: false };

/** What is looked at depends on places in the input alone, and not on how it is cut into batches. */
async function look(reader: RecordReader): Promise<Head> {
  const beginning = new Beginning();
  try {
    for (let records = await reader.next(); records !== undefined; records = await reader.next()) {
      const { inputs } = reader;
      let at = 0;
      for (const record of records) {
        if (record.offset >= beginning.limit) return beginning;
        beginning.take(record, inputs?.[at]?.id ?? 0);
        at += 1;
      }
      if (reader.bytes >= LONG_LOOK) break;
    }
  } finally {
    await reader.close();
  }
  return beginning;
}

/** A kube-apiserver's event about itself, by which it is told from others. */
interface Sign {
  readonly uid: string;
  readonly timeUs: number;
}

class Beginning implements Head {
  dated: number | undefined;
  auditAt = 0;
  /** What each sender wrote; 0 is who is not named. */
  readonly #parts = new Map<number, Part>();

  get limit(): number {
    return this.dated === undefined || [...this.#parts.values()].some((part) => part.bodies) ? LONG_LOOK : LOOK;
  }

  get bodies(): boolean {
    return this.#parts.get(0)?.bodies === true;
  }

  get mixed(): boolean {
    return [...this.#parts.values()].some((part) => part.mixed);
  }

  take(record: Rec, sender: number): void {
    const timeUs = timeOf(record);
    if (timeUs <= 0) return;
    this.dated ??= timeUs;
    if (record.type === 'audit' && this.auditAt === 0) this.auditAt = timeUs;
    const part = this.#parts.get(sender) ?? new Part();
    this.#parts.set(sender, part);
    part.take(record, timeUs);
  }
}

class Part {
  bodies = false;
  readonly #own = new OwnClient();
  readonly #signs: Sign[] = [];
  #lastLine = 0;

  take(record: Rec, timeUs: number): void {
    if (record.type === 'audit') {
      if (record.line === this.#lastLine) this.bodies = true;
      if (this.#own.isSender(record)) this.#signs.push({ uid: record.userUID, timeUs });
    }
    this.#lastLine = record.line;
  }

  /**
   * True when several apiservers write here by turns: a boot ID comes back after another's, or, in bodies that an audit
   * webhook collected, two boots overlap in time. It is no restart.
   */
  get mixed(): boolean {
    const spans = new Map<string, { from: number; to: number }>();
    let current = '';
    for (const { uid, timeUs } of this.#signs) {
      const span = spans.get(uid);
      if (span !== undefined && uid !== current && !this.bodies) return true;
      current = uid;
      spans.set(uid, { from: Math.min(span?.from ?? timeUs, timeUs), to: Math.max(span?.to ?? timeUs, timeUs) });
    }
    const list = [...spans.values()].sort((a, b) => a.from - b.from);
    return this.bodies && list.some((span, at) => at > 0 && span.from < (list[at - 1]?.to ?? 0));
  }
}

/** A file of klog text alone was dated with another year in mind: then its beginning is unknown. */
function redated(dated: number, auditAt: number, year: number | undefined): number {
  return auditAt === 0 && year !== undefined ? Number.NEGATIVE_INFINITY : dated;
}

/** Event time of a record; 0 for records that have none (documents, metrics). */
export function timeOf(record: Rec): number {
  switch (record.type) {
    case 'audit':
    case 'log':
    case 'flag':
      return record.timeUs;
    default:
      return 0;
  }
}
