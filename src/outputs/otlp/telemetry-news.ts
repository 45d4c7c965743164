/** What of a batch the receiver does not have yet and nobody is about to tell it. */
import type { Tally } from '../delivery/tally.js';
import type { Backlog } from './backlog.js';
import { RecentKeys } from './recent-keys.js';
import type { Item } from './telemetry.js';
import type { ToldLog } from './told-log.js';

/** Findings whose first state in this process is told apart from later ones. */
const MAX_SUBJECTS = 50_000;

export class TelemetryNews {
  readonly #seen = new RecentKeys(MAX_SUBJECTS);

  constructor(
    readonly backlog: Backlog,
    readonly told: ToldLog,
    readonly tally: Tally,
  ) {}

  /** Items that are new; the others are counted as known. An item that comes twice in the list is taken once. */
  of<T>(items: readonly Item<T>[]): Item<T>[] {
    const here = new Set<bigint>();
    return items.filter((item) => {
      const { hash } = item.key;
      const isNew = !here.has(hash) && !this.#isKnown(item);
      here.add(hash);
      if (!isNew) this.tally.known(item.parts.length);
      return isNew;
    });
  }

  #isKnown<T>({ key, subject }: Item<T>): boolean {
    if (this.told.has(key) || this.backlog.tells(key)) return true;
    // After a restart a finding is judged at other moments: only newer evidence makes its first state news.
    if (subject === undefined || !this.#seen.add(subject.hash.toString(36))) return false;
    return this.told.covers(subject) || this.backlog.covers(subject);
  }
}
