/**
 * Counters that only grow although what they are taken from may shrink: an analysis counts for a window of time, and a
 * later window holds less. To whoever scrapes, a counter that falls is one that began anew, and all of it would count
 * once more.
 */
import type { Family, Sample } from './family.js';

interface Series {
  readonly labels: Sample['labels'];
  /** Of earlier windows. */
  base: number;
  /** As it was given last. */
  value: number;
}

export class Growing {
  readonly #metrics = new Map<string, Map<string, Series>>();

  /** Gives counters with what earlier ones held; series that are gone stay as they were. Gauges pass as they are. */
  apply(family: Family): Family {
    if (family.type !== 'counter') return family;
    const known = this.#metrics.get(family.name) ?? new Map<string, Series>();
    this.#metrics.set(family.name, known);
    const gone = new Set(known.keys());
    for (const { labels, value } of family.samples) {
      const key = JSON.stringify(labels);
      gone.delete(key);
      const series = known.get(key);
      if (series === undefined) known.set(key, { labels, base: 0, value });
      else grow(series, value);
    }
    for (const key of gone) grow(known.get(key), 0);
    return {
      ...family,
      samples: [...known.values()].map(({ labels, base, value }) => ({ labels, value: base + value })),
    };
  }
}

function grow(series: Series | undefined, value: number): void {
  if (series === undefined) return;
  if (value < series.value) series.base += series.value - value;
  series.value = value;
}
