/** Bounds the label sets of a metric: whoever comes after the limit is counted under `other`, and that is counted too. */
import { safeText } from '../otlp/safe-text.js';
import type { Family, Labels, Sample } from './family.js';

/** Label sets of one metric. */
export const MAX_SERIES = 1_000;
const MAX_LABEL = 128;
/** Label sets beyond the limit that are told apart for counting them. */
const MAX_COUNTED = 10_000;

/** A label set keeps its place once it has one, so that counters never move back. */
export class SeriesLimit {
  readonly #kept = new Map<string, Set<string>>();
  readonly #folded = new Map<string, Set<string>>();

  constructor(readonly max: number = MAX_SERIES) {}

  /** The family with bounded labels; samples that fall together are added up. */
  apply(family: Family): Family {
    const sums = new Map<string, Sample>();
    for (const sample of family.samples) {
      const labels = this.place(family.name, sample.labels);
      const key = keyOf(labels);
      sums.set(key, { labels, value: (sums.get(key)?.value ?? 0) + sample.value });
    }
    return { ...family, samples: [...sums.values()] };
  }

  /** The labels as they are, bounded in length, or `other` for each of them. */
  place(name: string, labels: Labels): Labels {
    const bounded = Object.fromEntries(Object.entries(labels).map(([key, text]) => [key, safeText(text, MAX_LABEL)]));
    const kept = entry(this.#kept, name);
    const key = keyOf(bounded);
    if (kept.has(key)) return bounded;
    if (kept.size < this.max) {
      kept.add(key);
      return bounded;
    }
    const folded = entry(this.#folded, name);
    if (folded.size < MAX_COUNTED) folded.add(key);
    return Object.fromEntries(Object.keys(bounded).map((label) => [label, 'other']));
  }

  /** How many label sets of each metric have been put under `other`. */
  folded(): Sample[] {
    return [...this.#folded].map(([metric, sets]) => ({ labels: { metric }, value: sets.size }));
  }
}

function entry(sets: Map<string, Set<string>>, name: string): Set<string> {
  const known = sets.get(name);
  if (known !== undefined) return known;
  const fresh = new Set<string>();
  sets.set(name, fresh);
  return fresh;
}

function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
