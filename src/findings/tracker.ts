/** The life of findings: opened, updated when a reader would care, resolved; told apart by fingerprint. */
import type { Finding } from '../model/finding.js';

export interface FindingChange {
  readonly kind: 'opened' | 'updated' | 'resolved';
  readonly finding: Finding;
}

export interface TrackerOptions {
  /** Findings for which this is true are treated as absent: not opened, and resolved when they were open. */
  readonly suppress?: (finding: Finding) => boolean;
}

/** Compares each new list of findings with what was last told, so that nothing is told twice. */
export class FindingTracker {
  /** By fingerprint: the finding as it was last told, and as it was last seen. */
  readonly #open = new Map<string, { told: Finding; seen: Finding }>();
  readonly #suppress: (finding: Finding) => boolean;

  constructor(options: TrackerOptions = {}) {
    this.#suppress = options.suppress ?? (() => false);
  }

  /** Takes all findings that hold now. Changes come in their order, resolved ones last, by fingerprint. */
  update(findings: readonly Finding[]): FindingChange[] {
    const changes: FindingChange[] = [];
    const present = new Set<string>();
    for (const finding of findings) {
      if (this.#suppress(finding)) continue;
      present.add(finding.fingerprint);
      const known = this.#open.get(finding.fingerprint);
      if (known === undefined) changes.push({ kind: 'opened', finding });
      else if (differs(known.told, finding)) changes.push({ kind: 'updated', finding });
      const told = known === undefined || differs(known.told, finding) ? finding : known.told;
      this.#open.set(finding.fingerprint, { told, seen: finding });
    }
    return [...changes, ...this.#resolve(present)];
  }

  /** The findings that are open, as last seen, by fingerprint. */
  open(): Finding[] {
    return [...this.#open].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { seen }]) => seen);
  }

  #resolve(present: ReadonlySet<string>): FindingChange[] {
    const gone = [...this.#open].filter(([fingerprint]) => !present.has(fingerprint));
    gone.sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [fingerprint] of gone) this.#open.delete(fingerprint);
    return gone.map(([, { seen }]) => ({ kind: 'resolved', finding: seen }));
  }
}

/**
 * Whether a reader would care about `b` who was told `a`. A count that grows is no news until it has grown tenfold, and one
 * that falls never: the stretch of time that is looked at moved on.
 */
function differs(a: Finding, b: Finding): boolean {
  return (
    a.severity !== b.severity ||
    a.confidence !== b.confidence ||
    a.server !== b.server ||
    magnitude(b.count) > magnitude(a.count) ||
    JSON.stringify([a.edges, a.objects]) !== JSON.stringify([b.edges, b.objects])
  );
}

/** How many digits a count has: it changes when the count passes a power of ten. */
function magnitude(count: number): number {
  return String(Math.max(1, Math.floor(count))).length;
}
