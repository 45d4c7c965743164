/** When servers of one cluster ran different versions. */
import type { ServerSummary } from '../../model/analysis.js';

export interface VersionWindow {
  readonly cluster: string;
  /** Microseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly versions: readonly string[];
}

interface Turn {
  readonly at: number;
  readonly version: string;
  readonly step: 1 | -1;
}

/** Times with at least two versions, in order; windows that touch are one. */
export function versionWindows(servers: readonly ServerSummary[]): VersionWindow[] {
  const clusters = [...new Set(servers.map((server) => server.cluster))].sort();
  return clusters.flatMap((cluster) => windowsOf(cluster, turnsOf(servers.filter((s) => s.cluster === cluster))));
}

/** Begins and ends of versions; a server that goes counts until another that comes at the same time is there. */
function turnsOf(servers: readonly ServerSummary[]): Turn[] {
  return servers
    .flatMap(({ versions }) => versions)
    .flatMap(({ version, from, to }): Turn[] => [
      { at: from, version, step: 1 },
      { at: to, version, step: -1 },
    ])
    .sort((a, b) => a.at - b.at || b.step - a.step || (a.version < b.version ? -1 : 1));
}

function windowsOf(cluster: string, turns: readonly Turn[]): VersionWindow[] {
  const windows: VersionWindow[] = [];
  const live = new Map<string, number>();
  let open: { from: number; versions: Set<string> } | undefined;
  for (const { at, version, step } of turns) {
    live.set(version, (live.get(version) ?? 0) + step);
    const now = [...live].filter(([, count]) => count > 0).map(([name]) => name);
    if (now.length > 1) {
      open ??= { from: at, versions: new Set() };
      for (const name of now) open.versions.add(name);
    } else if (open !== undefined) {
      if (at > open.from) windows.push({ cluster, from: open.from, to: at, versions: [...open.versions].sort() });
      open = undefined;
    }
  }
  return windows;
}
