/**
 * Requests that a source passed on, as its process log shows them. An error line says neither whose it is nor, mostly,
 * which peer it was: so the calls that were open when it came are kept beside it, and a snapshot decides whose it was.
 */
import type { PeerCallCause } from '../../model/observations/index.js';
import type { LogLine } from '../../model/record.js';
import { SECOND } from '../../model/time.js';
import { EvidenceSet } from '../evidence.js';
import type { Life } from '../writer.js';
import { Attempts, Failures } from './attempts.js';
import { addressOf, causeOf } from './error-cause.js';

/** A request ends after a minute at the latest (`--request-timeout`), but for watches that nothing answers. */
export const CALL_OPEN = 65 * SECOND;
/** Calls of one log that may be open at once; beyond it the oldest are forgotten, and no error is taken for theirs. */
const OPEN_LIMIT = 4_096;
/** Calls and errors of one life that are kept. */
const CALLS = 8_192;
const ERRORS = 2_000;

/** A call line. */
export interface RequestCall {
  readonly life: Life;
  readonly timeUs: number;
  readonly path: string;
  readonly address: string;
}

/** An error line that belongs to a request. */
export interface RequestError {
  readonly timeUs: number;
  readonly cause: PeerCallCause;
  /** As the error names it; '' when it does not. */
  readonly address: string;
  readonly evidence: EvidenceSet;
}

/** Requests whose peers had no endpoint entry, for one resource: no call line stands before their error. */
export interface Unresolved {
  readonly resource: string;
  readonly failures: Failures;
}

/** What one life logged. */
export class LifeRequests {
  /** The first ones. */
  readonly errors: RequestError[] = [];
  /** All errors, by cause. */
  readonly attempts = new Attempts();
  readonly unresolved = new Map<string, Unresolved>();
  /** Calls that were open when an error came, in order of time. */
  readonly calls: RequestCall[] = [];
  lastCallAt = Number.NEGATIVE_INFINITY;
  /** Between these times calls are missing from what is kept. */
  missing: { from: number; to: number } | undefined;

  lacks(timeUs: number): void {
    const { from, to } = this.missing ?? { from: timeUs, to: timeUs };
    this.missing = { from: Math.min(from, timeUs), to: Math.max(to, timeUs) };
  }
}

/** The calls of the last minute of one log, oldest first. */
export class OpenCalls {
  #calls: RequestCall[] = [];
  /** Calls before this place are kept beside an error. */
  #kept = 0;

  /** Whether one fits of those that may have been open at the time. */
  any(timeUs: number, fits: (call: RequestCall) => boolean): boolean {
    return this.#calls.some((call) => call.timeUs >= timeUs - CALL_OPEN && fits(call));
  }

  add(call: RequestCall, of: (life: Life) => LifeRequests): void {
    this.#calls.push(call);
    if (this.#calls.length < OPEN_LIMIT * 2) return;
    const since = call.timeUs - CALL_OPEN;
    const from = this.#calls.length - OPEN_LIMIT;
    for (const old of this.#calls.slice(this.#kept, from)) if (old.timeUs >= since) of(old.life).lacks(old.timeUs);
    this.#calls = this.#calls.slice(from);
    this.#kept = Math.max(0, this.#kept - from);
  }

  /** Keeps what was open at the time. */
  keep(timeUs: number, of: (life: Life) => LifeRequests): void {
    for (; this.#kept < this.#calls.length; this.#kept += 1) {
      const call = this.#calls[this.#kept];
      if (call === undefined || call.timeUs > timeUs) return;
      if (call.timeUs < timeUs - CALL_OPEN) continue;
      const own = of(call.life);
      if (own.calls.length < CALLS) own.calls.push(call);
      else own.lacks(call.timeUs);
    }
  }
}

export class RequestLog {
  readonly #byLife = new Map<Life, LifeRequests>();

  of(life: Life): LifeRequests | undefined {
    return this.#byLife.get(life);
  }

  called(call: RequestCall, open: OpenCalls): void {
    const own = this.#own(call.life);
    own.lastCallAt = Math.max(own.lastCallAt, call.timeUs);
    open.add(call, (life) => this.#own(life));
  }

  /** An error that is a request's; `open` are the calls of the same log. */
  failed(line: LogLine, text: string, life: Life, open: OpenCalls): void {
    open.keep(line.timeUs, (of) => this.#own(of));
    const own = this.#own(life);
    const failures = own.attempts.fail(causeOf(text));
    failures.add(line.timeUs, text);
    failures.evidence.add(line.timeUs, life.writer.input, line.line, line.offset, line.text);
    if (own.errors.length >= ERRORS) return;
    const evidence = new EvidenceSet(1);
    evidence.add(line.timeUs, life.writer.input, line.line, line.offset, line.text);
    own.errors.push({ timeUs: line.timeUs, cause: causeOf(text), address: addressOf(text), evidence });
  }

  /** No peer with the resource had an endpoint entry. */
  unresolved(line: LogLine, resource: string, error: string, life: Life): void {
    const { unresolved } = this.#own(life);
    const known = unresolved.get(resource) ?? { resource, failures: new Failures() };
    if (unresolved.size < 64) unresolved.set(resource, known);
    known.failures.add(line.timeUs, error);
    known.failures.evidence.add(line.timeUs, life.writer.input, line.line, line.offset, line.text);
  }

  #own(life: Life): LifeRequests {
    const known = this.#byLife.get(life) ?? new LifeRequests();
    this.#byLife.set(life, known);
    return known;
  }
}
