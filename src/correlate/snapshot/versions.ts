/** Stretches of time in which live servers ran different versions, and what clients got before, during and after. */
import type { Observation } from '../../model/observations/index.js';
import { MINUTE, SECOND } from '../../model/time.js';
import { EvidenceSet } from '../evidence.js';
import { minorOf } from '../serving/version-table.js';
import { type Context, facts } from './context.js';
import type { Boot, ServerView } from './server-view.js';

/** Two stretches closer than this are one: a restart in the middle of an upgrade does not end it. */
const JOIN = 10 * MINUTE;

interface Window {
  readonly from: number;
  to: number;
  readonly boots: Set<Boot>;
}

export function versionObservations(context: Context): Observation[] {
  const clusters = new Set(context.servers.all.map((server) => server.cluster));
  return [...clusters].flatMap((cluster) => {
    const servers = context.servers.all.filter((server) => server.cluster === cluster);
    return [...restarts(servers), ...windows(servers).map((window) => observe(context, cluster, servers, window))];
  });
}

function restarts(servers: readonly ServerView[]): Observation[] {
  return servers.flatMap((server) =>
    server.boots.slice(1).flatMap((boot, at) => {
      const before = server.boots[at];
      if (before === undefined || boot.startSeenAt === 0) return [];
      return {
        type: 'server-restart' as const,
        ...facts({
          cluster: server.cluster,
          server: server.name,
          from: before.to,
          to: boot.from,
          count: 1,
          certainty: 'certain',
          evidence: [],
        }),
        versionBefore: before.version || null,
        versionAfter: boot.version || null,
        graceful: before.stoppedAt !== 0,
      };
    }),
  );
}

/**
 * Sweeps over starts and ends of versioned boots, by the records that say which boot they are of: whose the others at its
 * edges are depends on how logs were cut.
 */
function windows(servers: readonly ServerView[]): Window[] {
  const boots = servers.flatMap((server) =>
    server.boots.filter((boot) => boot.version !== '' && boot.markedTo > boot.markedFrom),
  );
  const times = [...new Set(boots.flatMap((boot) => [boot.markedFrom, boot.markedTo]))].sort((a, b) => a - b);
  const found: Window[] = [];
  for (const [at, from] of times.entries()) {
    const to = times[at + 1];
    if (to === undefined) break;
    const live = boots.filter((boot) => boot.markedFrom <= from && boot.markedTo >= to);
    if (new Set(live.map((boot) => boot.version)).size < 2) continue;
    const last = found.at(-1);
    if (last !== undefined && from - last.to <= JOIN) {
      last.to = to;
      for (const boot of live) last.boots.add(boot);
    } else found.push({ from, to, boots: new Set(live) });
  }
  return found;
}

function observe(
  context: Context,
  cluster: string,
  servers: readonly ServerView[],
  { from, to, boots }: Window,
): Observation {
  const versions = [...new Set([...boots].map((boot) => boot.version))].sort(byVersion);
  const minors = versions.map(minorOf).filter((minor) => minor !== undefined);
  const begin = Math.min(...servers.flatMap((server) => server.boots.map((boot) => boot.from)));
  const end = Math.max(...servers.flatMap((server) => server.boots.map((boot) => boot.to)));
  const evidence = new EvidenceSet();
  for (const boot of boots) {
    const writer = boot.lives[0]?.writer;
    if (writer !== undefined)
      evidence.add(boot.markedFrom, writer.input, 1, 0, `${boot.server.name} runs ${boot.version}`);
  }
  return {
    type: 'version-window',
    ...facts({ cluster, server: null, from, to, count: 1, certainty: 'certain', evidence: [evidence] }),
    versions,
    servers: [...new Set([...boots].map((boot) => boot.server.name))].sort(),
    minorGap: minors.length === 0 ? 0 : Math.max(...minors) - Math.min(...minors),
    seconds: Math.round((to - from) / SECOND),
    open: end - to < MINUTE && stillMixed(servers),
    before: rates(context, servers, begin, from),
    during: rates(context, servers, from, to) ?? { requests: 0, notFound: 0, serverErrors: 0 },
    after: rates(context, servers, to, end),
  };
}

function stillMixed(servers: readonly ServerView[]): boolean {
  return (
    new Set(
      servers
        .map((server) => server.boots.at(-1)?.version)
        .filter((version) => version !== undefined && version !== ''),
    ).size > 1
  );
}

function rates(context: Context, servers: readonly ServerView[], from: number, to: number) {
  let requests = 0;
  let notFound = 0;
  let serverErrors = 0;
  for (const server of servers) {
    for (const boot of server.boots) {
      for (const life of boot.lives) {
        const counts = context.state.rates.get(life);
        requests += counts?.requests.between(from, to) ?? 0;
        notFound += counts?.notFound.between(from, to) ?? 0;
        serverErrors += counts?.serverErrors.between(from, to) ?? 0;
      }
    }
  }
  if (requests === 0) return null;
  const share = (count: number) => Math.min(1, Math.round((count / requests) * 10_000) / 10_000);
  return { requests, notFound: share(notFound), serverErrors: share(serverErrors) };
}

function byVersion(a: string, b: string): number {
  const [x, y] = [a, b].map((version) => version.replace(/^v/, '').split(/[.+-]/).map(Number));
  for (let at = 0; at < 3; at += 1) {
    const difference = (x?.[at] ?? 0) - (y?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : 1;
}
