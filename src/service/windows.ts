/**
 * The sessions of overlapping windows of event time. Which window a record belongs to depends on its own time alone, so
 * that a window's result is the same whenever and in whatever order its records are read, also after a restart.
 */
import { type InputAccount, Session } from '../analysis/session.js';
import { timeOf } from '../analysis/survey.js';
import type { Keeper } from '../correlate/requests/recent-events.js';
import type { Analysis } from '../model/analysis.js';
import type { InputRef } from '../model/origin.js';
import type { ProxiedRequest } from '../model/proxied-request.js';
import type { Rec } from '../model/record.js';
import { MINUTE } from '../model/time.js';
import type { RuleSet } from '../rules/index.js';
import { EARLY, Slots } from './slots.js';

/** What is written at the same time is read at nearly the same time; a window waits so long for what is late. */
const GRACE = 5 * MINUTE;
/** Windows are usually hours long; of a short one no more than this part is spent waiting. */
const PART = 4;
const MAX_UNDATED = 1_000;

export interface WindowsOptions {
  readonly rules: RuleSet;
  readonly windowUs: number;
  /** Hears of the bytes that are kept to be read again. */
  readonly keeper?: Keeper;
  /** What was counted of the inputs in the window that begins with the slot. */
  readonly accounts: (first: number) => readonly InputAccount[];
  /** Told each proxied request once, when it is complete, or at the end of its window. */
  readonly onRequests: (requests: readonly ProxiedRequest[]) => void;
  /** When the oldest window begins that an earlier process left open, in microseconds; undefined when there was none. */
  readonly openUs: number | undefined;
}

export interface WindowSpan {
  readonly fromUs: number;
  readonly toUs: number;
}

export class Windows {
  readonly slots: Slots;
  /** By first slot. There are two of them most of the time. */
  readonly #open = new Map<number, Session>();
  readonly #options: WindowsOptions;
  #rules: RuleSet;
  /** First slot of the oldest window that is not closed. */
  #floor: number | undefined;
  /** First slot of the window that was told last. */
  #told: number | undefined;
  /** The first window of all tells also the requests that were received before it. */
  #first: number | undefined;
  #lastUs = Number.NEGATIVE_INFINITY;
  readonly #undated: { readonly record: Rec; readonly input: InputRef }[] = [];
  /** Records so far, but for those that were too late. */
  taken = 0;

  constructor(options: WindowsOptions) {
    this.#options = options;
    this.#rules = options.rules;
    this.slots = new Slots(options.windowUs);
    this.#floor = options.openUs === undefined ? undefined : this.slots.of(options.openUs);
  }

  get #grace(): number {
    return Math.min(GRACE, this.slots.lengthUs / PART);
  }

  get floor(): number | undefined {
    return this.#floor;
  }

  /**
   * Nothing before this slot is needed any more. What a window showed at its end is over when the next one is told, so
   * until then whoever takes over needs both.
   */
  get settled(): number | undefined {
    return this.#told ?? this.#floor;
  }

  /** What the oldest window shows was told: who takes over needs nothing before it. Whether that is more than before. */
  settle(): boolean {
    if (this.#told === undefined || this.#told === this.#floor) return false;
    this.#told = this.#floor;
    return true;
  }

  /** Event time that was reached, in microseconds; -Infinity before the first dated record. */
  get lastUs(): number {
    return this.#lastUs;
  }

  /** The window that is judged: the oldest open one. */
  get span(): WindowSpan | undefined {
    const first = this.#oldest();
    if (first === undefined) return undefined;
    return { fromUs: this.slots.beginOf(first), toUs: this.slots.beginOf(first + 2) };
  }

  /**
   * Gives the slot that the record counts for; undefined where it lies before the oldest open window, and is too late.
   * `openUs`: begin of the oldest window that gets all records of the partition that this one comes from; windows before
   * it were closed by another member of the group, which had come further.
   */
  take(record: Rec, input: InputRef, openUs?: number): number | undefined {
    const timeUs = timeOf(record);
    if (timeUs <= 0) return this.#takeUndated(record, input);
    const slot = this.slots.of(timeUs);
    if (timeUs > this.#lastUs) this.#lastUs = timeUs;
    this.#floor ??= this.#begin(timeUs);
    const floor = openUs === undefined ? this.#floor : Math.max(this.#floor, this.slots.of(openUs));
    if (slot < floor) return undefined;
    this.taken += 1;
    if (slot > floor) this.#session(slot - 1).take(record, input);
    this.#session(slot).take(record, input);
    return slot;
  }

  /** Whether the oldest window is over. */
  get isDue(): boolean {
    const { span } = this;
    return span !== undefined && this.#lastUs >= span.toUs + this.#grace;
  }

  /** Ends the oldest window: gives what holds at its end, and moves on to the next. */
  close(): Analysis | undefined {
    const first = this.#oldest();
    const session = first === undefined ? undefined : this.#open.get(first);
    if (first === undefined || session === undefined) return undefined;
    session.readers = this.#options.accounts(first);
    const analysis = session.end();
    this.#told = first;
    this.#open.delete(first);
    const next = this.#oldest();
    this.#floor = next ?? first + 1;
    return analysis;
  }

  /** What the oldest window shows now; undefined before the first record. */
  analysis(): Analysis | undefined {
    const first = this.#oldest();
    // Requests of the younger ones are complete as well.
    for (const [slot, session] of this.#open) if (slot !== first) session.tellRequests();
    const session = first === undefined ? undefined : this.#open.get(first);
    if (first === undefined || session === undefined) return undefined;
    session.readers = this.#options.accounts(first);
    return session.analysis();
  }

  /** Judges by other rules from now on. */
  use(rules: RuleSet): void {
    this.#rules = rules;
    for (const session of this.#open.values()) session.rules = rules;
  }

  /** Documents count for whatever is open when they come; those before the first dated record wait for it. */
  #takeUndated(record: Rec, input: InputRef): number | undefined {
    this.taken += 1;
    if (this.#open.size === 0) {
      if (this.#undated.length >= MAX_UNDATED) return undefined;
      // Its bytes are kept for good: few events, if any, have no time.
      if (record.type === 'audit') this.#options.keeper?.keep(record.bytes);
      this.#undated.push({ record, input });
      return EARLY;
    }
    for (const session of this.#open.values()) session.take(record, input);
    return this.slots.of(this.#lastUs);
  }

  #begin(timeUs: number): number {
    // The first records of several partitions come in no order.
    const floor = this.slots.of(timeUs - this.#grace);
    this.#first = floor;
    return floor;
  }

  #session(first: number): Session {
    let session = this.#open.get(first);
    if (session === undefined) {
      session = this.#newSession(first);
      this.#open.set(first, session);
      for (const { record, input } of this.#undated.splice(0)) session.take(record, input);
    }
    return session;
  }

  #newSession(first: number): Session {
    const { onRequests } = this.#options;
    const isOwn = (request: ProxiedRequest) => {
      const slot = this.slots.of(request.source.receivedUs);
      return slot === first || (slot < first && first === this.#first);
    };
    const tellOwn = (requests: readonly ProxiedRequest[]) => {
      const own = requests.filter(isOwn);
      if (own.length > 0) onRequests(own);
    };
    return new Session({ rules: this.#rules, onRequests: tellOwn }, this.#options.keeper);
  }

  #oldest(): number | undefined {
    let oldest: number | undefined;
    for (const first of this.#open.keys()) if (oldest === undefined || first < oldest) oldest = first;
    return oldest;
  }
}
