/** By how much the clocks of two servers differ, as estimated from the requests that they passed to each other. */
import { EvidenceSet } from '../evidence.js';
import { Sample } from '../sketch.js';
import { TimeHistogram } from '../time-histogram.js';
import type { ProxiedPair } from './pairs-view.js';
import type { ServerView } from './server-view.js';
import { order } from './servers.js';

/** Fewer pairs in one direction than this say nothing certain about clocks. */
const MIN_PAIRS = 5;
/** Two servers of which one passed requests to the other, or each to the other. */
export interface ClockLink {
  readonly a: ServerView;
  readonly b: ServerView;
  readonly directions: readonly Direction[];
  /** The clock of b less that of a, in milliseconds. */
  readonly offset: number;
  readonly count: number;
}

interface Direction {
  readonly source: ServerView;
  readonly destination: ServerView;
  readonly skew: Sample;
  readonly times: TimeHistogram;
  readonly evidence: EvidenceSet;
}

/** The links with the most requests first. */
export function clockLinks(pairs: readonly ProxiedPair[]): ClockLink[] {
  return linksOf(directionsOf(pairs));
}

function directionsOf(pairs: readonly ProxiedPair[]): Direction[] {
  const byEdge = new Map<string, Direction>();
  for (const { source, destination, total } of pairs) {
    const key = `${source.cluster} ${source.name} ${destination.name}`;
    let entry = byEdge.get(key);
    if (entry === undefined) {
      entry = {
        source,
        destination,
        skew: new Sample(),
        times: new TimeHistogram(),
        evidence: new EvidenceSet(2),
      };
      byEdge.set(key, entry);
    }
    entry.skew.merge(total.skew);
    entry.times.merge(total.times);
    entry.evidence.merge(total.evidence);
  }
  return [...byEdge.values()].filter(({ skew }) => skew.count >= MIN_PAIRS);
}

function linksOf(directions: readonly Direction[]): ClockLink[] {
  const byEnds = new Map<string, Direction[]>();
  for (const direction of directions) {
    const { source, destination } = direction;
    const key = [source.cluster, ...[source.name, destination.name].sort(order)].join(' ');
    byEnds.set(key, [...(byEnds.get(key) ?? []), direction]);
  }
  return [...byEnds.values()]
    .flatMap((both) => {
      const ends = both.flatMap(({ source, destination }) => [source, destination]);
      const [a, b] = [...new Set(ends)].sort(byName);
      if (a === undefined || b === undefined) return [];
      const offsets = both.map(({ destination, skew }) => skew.quantile(0.5) * (destination === b ? 1 : -1));
      // Each direction is off by what its way there takes longer than its way back: the mean of both is not.
      const offset = offsets.reduce((sum, each) => sum + each, 0) / offsets.length;
      return [{ a, b, directions: both, offset, count: both.reduce((sum, { skew }) => sum + skew.count, 0) }];
    })
    .sort((x, y) => y.count - x.count || byName(x.a, y.a) || byName(x.b, y.b));
}

export function byName(a: ServerView, b: ServerView): number {
  return order(a.name, b.name);
}
