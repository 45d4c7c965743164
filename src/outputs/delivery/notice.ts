/** What a sink is asked to tell: one state of one incident, with the findings that make it up. */
import type { Finding } from '../../model/finding.js';

/** How findings are put together: each by itself, all of one cause in one cluster, or the rest of a storm. */
export type Scope = 'finding' | 'cause' | 'storm';

/** What the receiver then knows of one finding. */
export interface Told {
  readonly fingerprint: string;
  readonly state: 'firing' | 'resolved';
  /** Over severity, confidence and whom it concerns: equal digests are no news. */
  readonly digest: string;
  /** Time of its latest evidence, in microseconds: what came before is no recurrence. */
  readonly toUs: number;
  /** What it takes to tell its end when nobody can show the finding any more; while it is firing. */
  readonly sketch?: Finding;
  /** Of one that is firing without a sketch: who does not judge this cluster does not tell its end. */
  readonly cluster?: string;
}

export interface Notice {
  /** 16 hex digits: the fingerprint of the finding, or of cluster and rule; the same in every run. */
  readonly key: string;
  /** Counts the states of this key from 1: key and counter together are the identity of a message. */
  readonly counter: number;
  readonly kind: 'opened' | 'updated' | 'resolved';
  readonly scope: Scope;
  readonly cluster: string;
  /** When it was decided, in milliseconds since the epoch. */
  readonly atMs: number;
  /** Worst first, bounded in number and size; of a resolved notice, those that were resolved. */
  readonly findings: readonly Finding[];
  /** How many findings it stands for; more than `findings` when they were cut. */
  readonly total: number;
  /** Storm only: how many incidents had been told in the window before the rest was folded. */
  readonly limit?: number;
  readonly told: readonly Told[];
}
