/**
 * A first look at the head of every file: when it begins, so that files can be merged by time and opened only when
 * their time comes, and in which year, which klog text does not say.
 */
import { isLoopback } from '../correlate/identity/loopback.js';
import type { InputRef } from '../model/origin.js';
import type { Rec } from '../model/record.js';
import { HOUR } from '../model/time.js';
import type { Source } from '../sources/index.js';
import { InputReader } from './input-reader.js';
import type { RecordReader } from './record-reader.js';

/** klog times may be so much later than the first audit event and still be of its year. */
const AHEAD = 180 * 24 * HOUR;
/** Batches to look through for a dated record. */
const LOOK = 4;

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
  const looks: { source: Source; head: Head }[] = [];
  for (const source of sorted) {
    const readable = source.input.kind === 'file' && !source.live && signal?.aborted !== true;
    looks.push({ source, head: readable ? await look(open({ ...source.input, id: 0 }, source)) : NOTHING });
  }
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

interface Head {
  readonly dated: number | undefined;
  readonly auditAt: number;
  /** Many events stand on one line: EventLists. */
  readonly bodies: boolean;
  /** Several apiservers write here by turns. */
  readonly mixed: boolean;
}

const NOTHING: Head = { dated: undefined, auditAt: 0, bodies: false, mixed: false };

async function look(reader: RecordReader): Promise<Head> {
  const seen: Rec[] = [];
  try {
    for (let batch = 0; batch < LOOK; batch += 1) {
      const records = await reader.next();
      if (records === undefined) break;
      for (const record of records) if (timeOf(record) > 0) seen.push(record);
      // One dated batch will do, but bodies are large, and the next may be another server's.
      if (seen.length > 0 && !hasBodies(seen)) break;
    }
  } finally {
    await reader.close();
  }
  const [first] = seen;
  if (first === undefined) return NOTHING;
  const audit = seen.find((record) => record.type === 'audit');
  return {
    dated: timeOf(first),
    auditAt: audit === undefined ? 0 : timeOf(audit),
    bodies: hasBodies(seen),
    mixed: takeTurns(seen),
  };
}

function hasBodies(records: readonly Rec[]): boolean {
  return records.some((record, at) => record.type === 'audit' && at > 0 && record.line === records[at - 1]?.line);
}

/**
 * True when several apiservers write here by turns: a boot ID comes back after another's, or, in bodies that an audit
 * webhook collected, two boots overlap in time. It is no restart.
 */
function takeTurns(records: readonly Rec[]): boolean {
  const bodies = hasBodies(records);
  const spans = new Map<string, { from: number; to: number }>();
  let current = '';
  for (const record of records) {
    if (record.type !== 'audit' || !isLoopback(record)) continue;
    const span = spans.get(record.userUID);
    if (span !== undefined && record.userUID !== current && !bodies) return true;
    current = record.userUID;
    const { timeUs } = record;
    spans.set(current, { from: Math.min(span?.from ?? timeUs, timeUs), to: Math.max(span?.to ?? timeUs, timeUs) });
  }
  const list = [...spans.values()].sort((a, b) => a.from - b.from);
  return bodies && list.some((span, at) => at > 0 && span.from < (list[at - 1]?.to ?? 0));
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
