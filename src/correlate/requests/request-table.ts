/**
 * The requests of the last stretch of event time by Audit-ID. Two generations of maps are swapped, so forgetting
 * costs nothing per request; what is still interesting (pairs, open proxied watches) outlives the swap.
 */
import type { AuditEvent } from '../../model/record.js';
import { HOUR, MINUTE } from '../../model/time.js';
import type { Life } from '../writer.js';
import { Half } from './half.js';

const GENERATION = 5 * MINUTE;
const GENERATION_LIMIT = 60_000;
/** Requests under one Audit-ID beyond this are counted, not kept. */
const CHAIN_LIMIT = 16;
const OPEN_LIMIT = 20_000;
const OPEN_AGE = 2 * HOUR;

export interface RequestTableEvents {
  /** The group will not be seen again: judge it. */
  settled(first: Half): void;
}

export type Taken = 'new' | 'stage' | 'duplicate' | 'overflow';

export class RequestTable {
  #young = new Map<string, Half>();
  #old = new Map<string, Half>();
  /** Groups of two or more requests under one Audit-ID: candidates for pairs. */
  #groups = new Map<string, Half>();
  #youngSince = Number.NEGATIVE_INFINITY;
  #now = Number.NEGATIVE_INFINITY;
  readonly #events: RequestTableEvents;
  /** Requests that were not kept because too many share one Audit-ID. */
  overflow = 0;

  constructor(events: RequestTableEvents) {
    this.#events = events;
  }

  take(event: AuditEvent, life: Life, resource: number): Taken {
    if (event.timeUs > this.#now) this.#advance(event.timeUs);
    const id = event.auditID;
    const known = this.#young.get(id) ?? this.#recall(id);
    if (known === undefined) {
      this.#young.set(id, new Half(event, life, resource));
      return 'new';
    }
    let last = known;
    let length = 1;
    for (let half: Half | null = known; half !== null; half = half.next) {
      if (half.owns(event)) return half.take(event) ? 'stage' : 'duplicate';
      last = half;
      length += 1;
    }
    if (length > CHAIN_LIMIT) {
      this.overflow += 1;
      return 'overflow';
    }
    last.next = new Half(event, life, resource);
    this.#groups.set(id, known);
    return 'new';
  }

  /** The first request under an Audit-ID, while it is remembered. */
  head(auditID: string): Half | undefined {
    return this.#young.get(auditID) ?? this.#old.get(auditID) ?? this.#groups.get(auditID);
  }

  /** Groups not settled yet, for a snapshot in the middle of a stream. */
  pending(): Iterable<Half> {
    return this.#groups.values();
  }

  #recall(id: string): Half | undefined {
    const half = this.#old.get(id) ?? this.#groups.get(id);
    if (half !== undefined) this.#young.set(id, half);
    return half;
  }

  #advance(timeUs: number): void {
    this.#now = timeUs;
    if (this.#youngSince === Number.NEGATIVE_INFINITY) this.#youngSince = timeUs;
    if (timeUs - this.#youngSince < GENERATION && this.#young.size < GENERATION_LIMIT) return;
    this.#settle();
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngSince = timeUs;
  }

  /** Groups that nobody touched for a generation are settled, unless a request of theirs is still open. */
  #settle(): void {
    for (const [id, first] of this.#groups) {
      if (this.#young.has(id)) continue;
      if (this.#groups.size <= OPEN_LIMIT && isOpen(first, this.#now)) continue;
      this.#groups.delete(id);
      this.#events.settled(first);
    }
  }
}

function isOpen(first: Half, now: number): boolean {
  for (let half: Half | null = first; half !== null; half = half.next) {
    if (half.finalCode === 0 && now - half.receivedUs < OPEN_AGE) return true;
  }
  return false;
}
