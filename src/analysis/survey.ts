/**
 * A first look at the head of every file: when it begins, so that files can be merged by time and opened only when
 * their time comes, and in which year, which klog text does not say.
 */
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

/** Inputs sorted and numbered by name, so that the order in which they were given means nothing. */
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
  return looks.map(({ source, head }, id) => ({
    source,
    input: { ...source.input, id, ...(year === undefined ? {} : { yearHintUs: year }) },
    beginsAt: head.dated === undefined ? Number.NEGATIVE_INFINITY : redated(head.dated, head.auditAt, year),
  }));
}

interface Head {
  readonly dated: number | undefined;
  readonly auditAt: number;
}

const NOTHING: Head = { dated: undefined, auditAt: 0 };

async function look(reader: RecordReader): Promise<Head> {
  try {
    for (let batch = 0; batch < LOOK; batch += 1) {
      const records = await reader.next();
      if (records === undefined) break;
      const times = records.map(timeOf).filter((time) => time > 0);
      if (times.length === 0) continue;
      const audit = records.find((record) => record.type === 'audit' && record.timeUs > 0);
      return { dated: times[0], auditAt: audit === undefined ? 0 : timeOf(audit) };
    }
  } finally {
    await reader.close();
  }
  return NOTHING;
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
