/** The part of time that was asked for (`--since`, `--until`): what lies in it, and what it leaves out of each input. */
import type { LeftOut } from '../model/analysis.js';
import type { InputRef } from '../model/origin.js';
import { MINUTE } from '../model/time.js';

/** What servers do all the time they do within this long, whatever part of time is looked at. */
const ENOUGH = 10 * MINUTE;

export class TimeWindow {
  readonly #from: number;
  readonly #until: number;
  readonly #inputs = new Map<InputRef, { kept: number; left: number }>();
  #kept: Span | null = null;
  #recorded: Span | null = null;

  /** Microseconds since the epoch; both ends belong to it. */
  constructor({ since, until }: { readonly since?: number; readonly until?: number }) {
    this.#from = since ?? Number.NEGATIVE_INFINITY;
    this.#until = until ?? Number.POSITIVE_INFINITY;
  }

  /** Whether a record of this time is to be looked at; counts it. What has no time (0) always is. */
  takes(timeUs: number, input: InputRef): boolean {
    if (timeUs <= 0) return true;
    const whole = input.of ?? input;
    const count = this.#inputs.get(whole) ?? { kept: 0, left: 0 };
    this.#inputs.set(whole, count);
    this.#recorded = widened(this.#recorded, timeUs);
    if (timeUs < this.#from || timeUs > this.#until) {
      count.left += 1;
      return false;
    }
    count.kept += 1;
    this.#kept = widened(this.#kept, timeUs);
    return true;
  }

  leftOutOf(input: InputRef): number {
    return this.#inputs.get(input)?.left ?? 0;
  }

  get leftOut(): LeftOut {
    const counts = [...this.#inputs.values()];
    return {
      records: counts.reduce((sum, { left }) => sum + left, 0),
      kept: counts.reduce((sum, { kept }) => sum + kept, 0),
      recorded: this.#recorded,
    };
  }

  /** Types of observations that say that something is absent, which may be so only because it was left out. */
  get unsure(): ReadonlySet<string> {
    const unsure = new Set<string>();
    if (this.leftOut.records === 0) return unsure;
    if ([...this.#inputs.values()].some(({ kept, left }) => kept === 0 && left > 0)) unsure.add('server-log-missing');
    if (this.#kept === null || this.#kept.to - this.#kept.from < ENOUGH) unsure.add('policy-blind');
    return unsure;
  }
}

interface Span {
  from: number;
  to: number;
}

function widened(span: Span | null, timeUs: number): Span {
  if (span === null) return { from: timeUs, to: timeUs };
  if (timeUs < span.from) span.from = timeUs;
  if (timeUs > span.to) span.to = timeUs;
  return span;
}
