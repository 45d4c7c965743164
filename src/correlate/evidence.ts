/** Quotes that prove a fact: the earliest few, whatever the order in which they came. */
import { type Evidence, type InputRef, kindOf, placeIn } from '../model/origin.js';
import type { AuditEvent } from '../model/record.js';
import { SECOND } from '../model/time.js';

const QUOTE_LIMIT = 600;
const BUCKETS = 12;

interface Dated extends Evidence {
  readonly timeUs: number;
}

export class EvidenceSet {
  #kept: Dated[] = [];

  constructor(readonly limit = 5) {}

  /** True when a fact of this time would be kept; ask before making the quote. */
  wants(timeUs: number): boolean {
    const last = this.#kept[this.limit - 1];
    return last === undefined || timeUs < last.timeUs;
  }

  add(timeUs: number, input: InputRef, line: number, offset: number, quote: string): void {
    if (!this.wants(timeUs)) return;
    this.#insert({ timeUs, ...kindOf(input), ...placeIn(input, line), offset, quote: quote.slice(0, QUOTE_LIMIT) });
  }

  addEvent(event: AuditEvent, input: InputRef): void {
    if (!this.wants(event.timeUs)) return;
    this.add(event.timeUs, input, event.line, event.offset, quoteEvent(event));
  }

  merge(other: EvidenceSet): void {
    for (const entry of other.#kept) if (this.wants(entry.timeUs)) this.#insert(entry);
  }

  /** Those whose time fits. */
  where(fits: (timeUs: number) => boolean): EvidenceSet {
    const found = new EvidenceSet(this.limit);
    found.#kept = this.#kept.filter((entry) => fits(entry.timeUs));
    return found;
  }

  /** The earliest of them. */
  first(count: number): EvidenceSet {
    const found = new EvidenceSet(count);
    found.#kept = this.#kept.slice(0, count);
    return found;
  }

  list(): Evidence[] {
    return this.#kept.map(({ timeUs: _, ...evidence }) => evidence);
  }

  #insert(entry: Dated): void {
    const twin = this.#kept.some((k) => k.timeUs === entry.timeUs && k.quote === entry.quote);
    if (twin) return;
    this.#kept.push(entry);
    this.#kept.sort((a, b) => a.timeUs - b.timeUs || (a.quote < b.quote ? -1 : a.quote > b.quote ? 1 : 0));
    if (this.#kept.length > this.limit) this.#kept.length = this.limit;
  }
}

/**
 * Quotes from all of a stretch of time, the earliest few of each of its at most `BUCKETS` parts: for facts of which only
 * some turn out to be proofs. What is kept depends on the times alone.
 */
export class SpreadEvidence {
  #width = SECOND;
  #buckets = new Map<number, EvidenceSet>();

  addEvent(event: AuditEvent, input: InputRef, timeUs: number): void {
    const bucket = Math.floor(timeUs / this.#width);
    const set = this.#buckets.get(bucket) ?? new EvidenceSet();
    if (set.wants(timeUs)) set.add(timeUs, input, event.line, event.offset, quoteEvent(event));
    this.#buckets.set(bucket, set);
    while (this.#buckets.size > BUCKETS) this.#widen();
  }

  where(fits: (timeUs: number) => boolean): EvidenceSet {
    const found = new EvidenceSet();
    for (const set of this.#buckets.values()) found.merge(set.where(fits));
    return found;
  }

  #widen(): void {
    this.#width *= 2;
    const narrow = this.#buckets;
    this.#buckets = new Map();
    for (const [bucket, set] of narrow) {
      const wide = this.#buckets.get(Math.floor(bucket / 2));
      if (wide === undefined) this.#buckets.set(Math.floor(bucket / 2), set);
      else wide.merge(set);
    }
  }
}

/** One line that says what the event says, without bodies, tokens or annotations. */
export function quoteEvent(event: AuditEvent): string {
  // Ahead of the path: who has little room cuts the middle out.
  const code = event.code === 0 ? '' : ` ${event.code}${event.reason === '' ? '' : ` ${event.reason}`}`;
  const user = event.username === '' ? '(no user)' : event.username;
  const agent = event.userAgent === '' ? '(no user agent)' : event.userAgent.slice(0, 80);
  const message = event.message === '' ? '' : ` “${event.message.slice(0, 120)}”`;
  return `${event.stage}${code} ${event.verb} ${event.requestURI.slice(0, 160)}${message} by ${user} from ${event.sourceIPs} with ${agent}, auditID ${event.auditID.slice(0, 64)}`;
}

/** The union of several sets, earliest first. */
export function mergeEvidence(sets: Iterable<EvidenceSet>, limit = 5): Evidence[] {
  const all = new EvidenceSet(limit);
  for (const set of sets) all.merge(set);
  return all.list();
}
