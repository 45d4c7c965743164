/** What an operator hears of one output while a run goes on, and what became of everything at its end. */
import { formatDuration } from '../../model/time.js';
import { plural } from '../../report/text/page.js';
import type { DeliveryReport, Undelivered } from '../output.js';
import type { Clock } from './clock.js';

/** What became of everything that one output was given. */
export interface LaneResult {
  readonly name: string;
  readonly delivered: number;
  readonly known: number;
  readonly waiting: readonly Undelivered[];
  readonly refused: readonly Undelivered[];
  /** Whether a spool keeps what waits. */
  readonly spools: boolean;
}

/** The same trouble is told again after so long. */
const REPEAT_MS = 5 * 60_000;
/** A receiver that is well answers sooner. */
const HANGS_MS = 5_000;

/** How one output fares since the start. */
export interface LaneStatus {
  readonly name: string;
  readonly delivered: number;
  /** On its way now. */
  readonly waiting: number;
  readonly refused: number;
  /** Why what waits has not been taken; '' when nothing does. */
  readonly failure: string;
  /** The receiver is not reached: an attempt failed, or there is no answer for longer than a receiver that is well takes. */
  readonly isFailing: boolean;
}

export class DeliveryNews {
  #delivered = 0;
  #refusedCount = 0;
  #known = 0;
  #waiting: readonly Undelivered[] = [];
  #refused: readonly Undelivered[] = [];
  #takenAtMs = 0;
  #told = '';
  #toldAtMs = 0;

  constructor(
    readonly name: string,
    readonly onMessage: (message: string) => void,
    readonly clock: Clock,
  ) {}

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Whether something waits that would end with the process. */
  get isAtRisk(): boolean {
    return this.#waiting.some(({ where }) => where === null);
  }

  /** `now`: what waits at this moment; without it, what did at the last report. */
  status(now: readonly Undelivered[] = this.#waitingSince()): LaneStatus {
    const waiting = now.filter(({ count }) => count > 0);
    return {
      name: this.name,
      delivered: this.#delivered,
      waiting: sum(waiting),
      refused: this.#refusedCount,
      failure: [...new Set(waiting.map(reasonOf))].join('; '),
      isFailing: waiting.some(({ failed, triedMs = 0 }) => failed === true || triedMs >= HANGS_MS),
    };
  }

  take({ delivered, known, waiting, refused }: DeliveryReport): void {
    this.#delivered += delivered;
    this.#known += known;
    this.#refusedCount += sum(refused);
    this.#refused = [...this.#refused, ...refused].slice(0, MAX_REFUSED);
    for (const entry of refused) this.#say(refusedText(entry));
    const now = this.clock.now();
    this.#waiting = waiting;
    this.#takenAtMs = now;
    const trouble = waiting.map(({ reason }) => reason).join('; ');
    if (trouble !== '' && (trouble !== this.#told || now - this.#toldAtMs >= REPEAT_MS)) {
      for (const entry of waiting) this.#say(waitingText(entry));
      this.#toldAtMs = now;
    }
    if (trouble === '' && this.#told !== '') this.#say('everything is delivered again');
    this.#told = trouble;
  }

  dropped(count: number): void {
    this.#say(`${plural(count, 'proxied request')} given up: the output does not take them as fast as they come`);
    this.#refusedCount += count;
    this.#refused = [...this.#refused, { count, reason: 'too many at once', where: null }].slice(0, MAX_REFUSED);
  }

  /** `postponed`: changes that the output has not even taken. */
  result(postponed: number): Omit<LaneResult, 'spools'> {
    const lost = { count: postponed, reason: 'what waits has reached its bound (spool.maxBytes)', where: null };
    return {
      name: this.name,
      delivered: this.#delivered,
      known: this.#known,
      waiting: postponed === 0 ? this.#waiting : [...this.#waiting, lost],
      refused: this.#refused,
    };
  }

  #waitingSince(): readonly Undelivered[] {
    const sinceMs = this.clock.now() - this.#takenAtMs;
    return this.#waiting.map((entry) => {
      return entry.triedMs === undefined ? entry : { ...entry, triedMs: entry.triedMs + sinceMs };
    });
  }

  #say(message: string): void {
    this.onMessage(`${this.name}: ${message}`);
  }
}

const MAX_REFUSED = 100;

function sum(entries: readonly Undelivered[]): number {
  return entries.reduce((total, { count }) => total + count, 0);
}

function reasonOf({ reason, triedMs }: Undelivered): string {
  return triedMs === undefined ? reason : `${reason}${triedText(triedMs)}`;
}

export function waitingText({ count, reason, where, triedMs }: Undelivered): string {
  const place = where === null ? 'kept in memory only' : `kept in ${where}`;
  const tried = triedMs === undefined ? '' : triedText(triedMs);
  return `${plural(count, 'message')} waiting, ${place}: ${reason}${tried}`;
}

/** Behind a reason; nothing where it says no more than that somebody has begun. */
export function triedText(triedMs: number): string {
  return triedMs < 1_000 ? '' : `; tried for ${formatDuration(triedMs * 1_000)}`;
}

export function refusedText({ count, reason, where }: Undelivered): string {
  const place = where === null ? 'not kept, for there is no spool' : `kept in ${where}`;
  return `${plural(count, 'message')} turned down, ${place}: ${reason}`;
}
