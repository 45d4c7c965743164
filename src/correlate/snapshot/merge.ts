/** Puts the snapshots of several clusters side by side as one; nothing of one is counted for another. */
import type { Capability, Snapshot } from '../../model/analysis.js';

/** Of at least one. Each cluster keeps what its own inputs can show, see `capabilitiesOf`. */
export function mergeSnapshots(parts: readonly Snapshot[]): Snapshot {
  const [only, ...more] = parts;
  if (only !== undefined && more.length === 0) return only;
  return {
    window: windowOf(parts),
    servers: sorted(parts.flatMap(({ servers }) => servers)),
    clusters: [...new Set(parts.flatMap(({ clusters }) => clusters))].sort(),
    proxied: {
      total: sum(parts, ({ proxied }) => proxied.total),
      failed: sum(parts, ({ proxied }) => proxied.failed),
      routes: parts.flatMap(({ proxied }) => proxied.routes),
    },
    discovery: parts.flatMap(({ discovery }) => discovery),
    notFound: parts.flatMap(({ notFound }) => notFound),
    observations: parts.flatMap(({ observations }) => observations),
    writers: writersOf(parts),
    capabilities: new Set(parts.flatMap(({ capabilities }) => [...capabilities])),
    capabilitiesOf: capabilitiesOf(parts),
  };
}

function windowOf(parts: readonly Snapshot[]): Snapshot['window'] {
  const windows = parts.flatMap(({ window }) => window ?? []);
  if (windows.length === 0) return null;
  return { from: Math.min(...windows.map(({ from }) => from)), to: Math.max(...windows.map(({ to }) => to)) };
}

function sorted(servers: Snapshot['servers'][number][]): Snapshot['servers'] {
  return servers.sort((a, b) => compare(a.cluster, b.cluster) || compare(a.name, b.name));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sum(parts: readonly Snapshot[], count: (part: Snapshot) => number): number {
  return parts.reduce((total, part) => total + count(part), 0);
}

/** An input with records of several clusters is no one server's, even where its servers have the same name. */
function writersOf(parts: readonly Snapshot[]): Snapshot['writers'] {
  const found = new Map<number, string>();
  const several = new Set<number>();
  for (const { writers } of parts) {
    for (const [id, name] of writers) {
      if (found.has(id)) several.add(id);
      found.set(id, name);
    }
  }
  for (const id of several) found.delete(id);
  return found;
}

function capabilitiesOf(parts: readonly Snapshot[]): Snapshot['capabilitiesOf'] {
  const all = new Map<string, Set<Capability>>();
  for (const part of parts) {
    for (const [cluster, capabilities] of part.capabilitiesOf)
      all.set(cluster, new Set([...(all.get(cluster) ?? []), ...capabilities]));
  }
  return all;
}
