/** What of a batch the receiver does not have yet and nobody is about to tell it. */
import type { Tally } from '../delivery/tally.js';
import type { Backlog } from './backlog.js';
import { RecentKeys } from './recent-keys.js';
import type { Item } from './telemetry.js';
import type { ToldLog } from './told-log.js';
import type { ToldKey } from './told-table.js';

/** Findings, and their states, that this process is known to have told. */
const MAX_KEPT = 50_000;

export class TelemetryNews {
  readonly #seen = new RecentKeys(MAX_KEPT);
  readonly #mine = new RecentKeys(MAX_KEPT);
  /** What this process tells, or has counted as told before it. */
  readonly #counted = new RecentKeys(MAX_KEPT);
  /** What waited when this process began: it is counted when it is delivered. */
  readonly #restored = new RecentKeys(MAX_KEPT);

  constructor(
    readonly backlog: Backlog,
    readonly told: ToldLog,
    readonly tally: Tally,
  ) {
    for (const { keys } of backlog.entries) for (const key of keys) this.#restored.add(nameOf(key));
  }

  /** Items that are new; those that were settled before this process are counted as known. One that comes twice in the list is taken once. */
  of<T>(items: readonly Item<T>[]): Item<T>[] {
    const here = new Set<bigint>();
    return items.filter((item) => {
      const { hash } = item.key;
      const isNew = !here.has(hash) && !this.#isKnown(item);
      here.add(hash);
      const isFirst = this.#counted.add(nameOf(item.key));
      if (isFirst && !isNew && !this.#waited(item)) this.tally.known(item.parts.length);
      return isNew;
    });
  }

  #waited<T>({ key, subject = key }: Item<T>): boolean {
    return this.#restored.has(nameOf(key)) || this.#restored.has(nameOf(subject));
  }

  #isKnown<T>({ key, subject }: Item<T>): boolean {
    const isTold = this.told.has(key) || this.backlog.tells(key);
    if (subject === undefined) return isTold;
    const isFirst = this.#seen.add(nameOf(subject));
    // What went and came again with the same evidence is told again; only what an earlier process told is known.
    if (isTold && !this.#mine.has(nameOf(key))) return true;
    // After a restart a finding is judged at other moments: only newer evidence makes its first state news.
    if (isFirst && (this.told.covers(subject) || this.backlog.covers(subject))) return true;
    this.#mine.add(nameOf(key));
    return false;
  }
}

function nameOf({ hash }: ToldKey): string {
  return hash.toString(36);
}
