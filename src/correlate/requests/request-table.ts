/**
 * The requests of the last stretch of event time by Audit-ID. Most events are only remembered by their place; a request
 * becomes a `Half` when another server, or another request, turns up under its Audit-ID, or when it failed and may reach
 * its destination later. Two generations of maps are swapped, so forgetting costs nothing per request; groups that may
 * be pairs outlive the swap until their requests are answered.
 */
import type { AuditEvent } from '../../model/record.js';
import { HOUR, MINUTE } from '../../model/time.js';
import type { Life } from '../writer.js';
import { hashAuditID, type KeyedEvent } from './audit-id-hash.js';
import { Half } from './half.js';
import { type Keeper, RecentEvents, type Reread } from './recent-events.js';

const GENERATION = 5 * MINUTE;
const GENERATION_LIMIT = 20_000;
/** Requests under one Audit-ID beyond this are counted, not kept. */
const CHAIN_LIMIT = 16;
const OPEN_LIMIT = 20_000;
const OPEN_AGE = 2 * HOUR;
const FILTER = 1 << 16;

export interface RequestTableOptions {
  /** The group will not be seen again: judge it. */
  settled(first: Half): void;
  /** A request that no other joined is forgotten. */
  alone(half: Half): void;
  readonly reread: Reread;
  readonly keeper?: Keeper | undefined;
  lifeOf(id: number): Life | undefined;
}

export type Taken = 'new' | 'stage' | 'duplicate' | 'overflow';

export class RequestTable {
  readonly #recent: RecentEvents;
  #young = new Map<string, Half>();
  #old = new Map<string, Half>();
  /** Groups of two or more requests under one Audit-ID: candidates for pairs. */
  readonly #groups = new Map<string, Half>();
  /** Non-zero where a hash may be in one of the maps: spares looking up what is not. */
  #filter = new Uint8Array(FILTER);
  #youngSince = Number.NEGATIVE_INFINITY;
  #now = Number.NEGATIVE_INFINITY;
  #lastID = '';
  #lastHash = 0;
  readonly #options: RequestTableOptions;
  /** Requests that were not kept because too many share one Audit-ID. */
  overflow = 0;

  constructor(options: RequestTableOptions) {
    this.#options = options;
    this.#recent = new RecentEvents(options.keeper);
  }

  /** `keep`: the request is wanted later (`head`), whatever it is. */
  take(event: AuditEvent, life: Life, resource: number, keep: boolean): Taken {
    if (event.timeUs > this.#now) this.#advance(event.timeUs);
    const hash = this.#hash(event);
    const known = this.#filter[hash & (FILTER - 1)] === 0 ? undefined : this.#recall(event.auditID);
    if (known !== undefined) return this.#join(known, event, life, resource);
    const others = this.#others(hash, event, life);
    if (others === 'duplicate') return others;
    if (!keep && !others && !mayArriveLater(event)) {
      this.#recent.put(hash, event, life.id, resource);
      return 'new';
    }
    const first = this.#reviveAll(hash, event.auditID);
    if (first !== undefined) return this.#join(first, event, life, resource);
    this.#keep(hash, new Half(event, life, resource));
    return 'new';
  }

  /** The first request under an Audit-ID, if it is kept. */
  head(auditID: string): Half | undefined {
    return this.#young.get(auditID) ?? this.#old.get(auditID) ?? this.#groups.get(auditID);
  }

  /** The end of the records: every request is judged as it stands. */
  end(): void {
    for (const [id, first] of this.#groups) {
      this.#groups.delete(id);
      this.#options.settled(first);
    }
    for (const half of new Set([...this.#old.values(), ...this.#young.values()]))
      if (half.next === null) this.#options.alone(half);
    this.#old = new Map();
    this.#young = new Map();
  }

  /** Groups not settled yet, for a snapshot in the middle of a stream. */
  pending(): Iterable<Half> {
    return this.#groups.values();
  }

  /** Whether the places under the hash are another writer's or another request's: then they are worth reading again. */
  #others(hash: number, event: AuditEvent, life: Life): boolean | 'duplicate' {
    let others = false;
    for (let entry = this.#recent.find(hash); entry >= 0; entry = this.#recent.find(hash, entry)) {
      if (this.#recent.sameBytes(entry, event)) return 'duplicate';
      const writer = this.#options.lifeOf(this.#recent.lifeOf(entry))?.writer;
      if (writer !== life.writer || this.#recent.receivedUsOf(entry) !== event.receivedUs) others = true;
    }
    return others;
  }

  /** Makes halves of all remembered events with the Audit-ID, the oldest first. */
  #reviveAll(hash: number, id: string): Half | undefined {
    const entries: number[] = [];
    for (let entry = this.#recent.find(hash); entry >= 0; entry = this.#recent.find(hash, entry)) entries.push(entry);
    let first: Half | undefined;
    for (const entry of entries.reverse()) {
      const place = this.#recent.place(entry);
      const life = place === undefined ? undefined : this.#options.lifeOf(place.life);
      if (place === undefined || life === undefined) continue;
      const event = this.#options.reread(place.bytes, place.start, place.end, place.line, place.offset);
      if (event === undefined || event.auditID !== id) continue;
      if (first === undefined) {
        first = new Half(event, life, place.resource);
        this.#keep(hash, first);
      } else this.#join(first, event, life, place.resource);
    }
    return first;
  }

  #join(known: Half, event: AuditEvent, life: Life, resource: number): Taken {
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
    this.#groups.set(known.auditID, known);
    return 'new';
  }

  #keep(hash: number, half: Half): void {
    this.#young.set(half.auditID, half);
    this.#filter[hash & (FILTER - 1)] = 1;
  }

  #recall(id: string): Half | undefined {
    const young = this.#young.get(id);
    if (young !== undefined) return young;
    const half = this.#old.get(id) ?? this.#groups.get(id);
    if (half !== undefined) this.#young.set(id, half);
    return half;
  }

  #advance(timeUs: number): void {
    this.#now = timeUs;
    if (this.#youngSince === Number.NEGATIVE_INFINITY) this.#youngSince = timeUs;
    if (timeUs - this.#youngSince < GENERATION && this.#young.size < GENERATION_LIMIT) return;
    this.#settle();
    for (const [id, half] of this.#old) if (!this.#young.has(id) && !this.#groups.has(id)) this.#options.alone(half);
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngSince = timeUs;
    this.#filter = new Uint8Array(FILTER);
    for (const map of [this.#old, this.#groups])
      for (const id of map.keys()) this.#filter[hashAuditID(id) & (FILTER - 1)] = 1;
  }

  /** Groups that nobody touched for a generation are settled, unless a request of theirs is still open. */
  #settle(): void {
    for (const [id, first] of this.#groups) {
      if (this.#young.has(id)) continue;
      if (this.#groups.size <= OPEN_LIMIT && isOpen(first, this.#now)) continue;
      this.#groups.delete(id);
      this.#options.settled(first);
    }
  }

  /** The stages of a request often come with the very same string. */
  #hash(event: AuditEvent | KeyedEvent): number {
    if ('auditIDHash' in event) return event.auditIDHash;
    if (event.auditID !== this.#lastID) {
      this.#lastID = event.auditID;
      this.#lastHash = hashAuditID(event.auditID);
    }
    return this.#lastHash;
  }
}

/** A source that gave up may see its request reach the destination long after; a rejected one is short anyway. */
function mayArriveLater(event: AuditEvent): boolean {
  return event.code >= 500 || event.code === 401;
}

function isOpen(first: Half, now: number): boolean {
  for (let half: Half | null = first; half !== null; half = half.next) {
    if (half.finalCode === 0 && now - half.receivedUs < OPEN_AGE) return true;
  }
  return false;
}
