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
 * Inputs sorted and numbered by name, so that the order in which they were given means nothing; those in which servers
 * take turns stand last, so that of two copies of an event the one whose writer is known comes first.
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
  const numbered = [...looks.filter(({ head }) => !head.mixed), ...looks.filter(({ head }) => head.mixed)];
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
  /** Boot IDs of apiservers alternate. */
  readonly mixed: boolean;
}

const NOTHING: Head = { dated: undefined, auditAt: 0, mixed: false };

async function look(reader: RecordReader): Promise<Head> {
  try {
    for (let batch = 0; batch < LOOK; batch += 1) {
      const records = await reader.next();
      if (records === undefined) break;
      const times = records.map(timeOf).filter((time) => time > 0);
      if (times.length === 0) continue;
      const audit = records.find((record) => record.type === 'audit' && record.timeUs > 0);
      return { dated: times[0], auditAt: audit === undefined ? 0 : timeOf(audit), mixed: takeTurns(records) };
    }
  } finally {
    await reader.close();
  }
  return NOTHING;
}

/** True when an apiserver's boot ID comes back after another's: two write here by turns, and it is no restart. */
function takeTurns(records: readonly Rec[]): boolean {
  const seen = new Set<string>();
  let current = '';
  for (const record of records) {
    if (record.type !== 'audit' || !isLoopback(record) || record.userUID === current) continue;
    if (seen.has(record.userUID)) return true;
    current = record.userUID;
    seen.add(current);
  }
  return false;
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
