/** Proxied requests, discovery and servers against what is known of the run. */
import type { AnalysisResult } from '../report/result-schema.js';
import type { Difference, Score } from './compare.js';
import type { Expected, Mode } from './expected.js';

interface Part {
  readonly score: Score;
  readonly differences: Difference[];
}

type Route = Expected['proxied']['routes'][number];

/** The total and every route (source, destination, verb, resource, code, count) must be equal. */
export function comparePairs(expected: Expected['proxied'], found: AnalysisResult['proxied']): Part {
  const wanted = countByRoute(expected.routes);
  const got = countByRoute(found.routes);
  const differences: Difference[] = [];
  let right = 0;
  for (const route of new Set([...wanted.keys(), ...got.keys()])) {
    const want = wanted.get(route) ?? 0;
    const have = got.get(route) ?? 0;
    right += Math.min(want, have);
    if (want !== have) differences.push({ kind: 'pairs', text: `${route}: ${want} expected, ${have} found` });
  }
  if (expected.total !== found.total) {
    differences.push({ kind: 'pairs', text: `in total: ${expected.total} expected, ${found.total} found` });
  }
  return { score: { right, expected: expected.total }, differences };
}

/** Where a state is given the matrix must show it. In audit logs failing and missing look alike: either is right. */
export function compareDiscovery(
  expected: NonNullable<Expected['discovery']>,
  found: AnalysisResult['discovery'],
  mode: Mode,
): Part {
  const differences = expected.flatMap(({ source, destination, state }): Difference[] => {
    const cell = found.find((other) => other.source === source && other.destination === destination);
    const got = cell?.state ?? 'no cell';
    const alike = mode === 'audit' && isBroken(state) && isBroken(got);
    if (got === state || alike) return [];
    return [{ kind: 'discovery', text: `${source} → ${destination}: ${state} expected, ${got} found` }];
  });
  return { score: { right: expected.length - differences.length, expected: expected.length }, differences };
}

/**
 * Every server with its versions in order and its addresses. An address may stay unknown (behind one balancer nobody
 * sees where a server comes from), but must not be another's. Servers that are found beyond these (one that refused to start) are no difference.
 */
export function compareServers(expected: Expected['servers'], found: AnalysisResult['servers'], mode: Mode): Part {
  const wrong = Object.entries(expected).map(([name, want]) => {
    const server = found.find((other) => other.name === name);
    // A server whose audit log is empty (it refused to start) leaves no trace in audit logs alone.
    if (server === undefined && mode === 'audit') return [];
    if (server === undefined) {
      const names = found.map((other) => other.name).join(', ') || 'none';
      return [{ kind: 'server' as const, text: `${name}: not found (servers found: ${names})` }];
    }
    const versions = server.versions
      .map(({ version }) => version)
      .filter((version, at, all) => version !== all[at - 1]);
    const addressesLeftOpen = server.addresses.length === 0;
    return [
      ...unequal(`${name} versions`, want.versions, versions),
      ...(addressesLeftOpen
        ? []
        : unequal(`${name} addresses`, [...want.addresses].sort(), [...server.addresses].sort())),
    ];
  });
  const right = wrong.filter((differences) => differences.length === 0).length;
  return { score: { right, expected: wrong.length }, differences: wrong.flat() };
}

function countByRoute(routes: readonly Route[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { source, destination, verb, resource, code, count } of routes) {
    const route = `${source} → ${destination} ${verb} ${resource} ${code ?? 'no code'}`;
    counts.set(route, (counts.get(route) ?? 0) + count);
  }
  return counts;
}

function isBroken(state: string): boolean {
  return state === 'failing' || state === 'missing';
}

function unequal(what: string, want: readonly string[], got: readonly string[]): Difference[] {
  if (want.length === got.length && want.every((value, at) => value === got[at])) return [];
  const list = (values: readonly string[]) => values.join(', ') || 'none';
  return [{ kind: 'server', text: `${what}: ${list(want)} expected, ${list(got)} found` }];
}
