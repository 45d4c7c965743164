/** The table of servers: versions over time, address, state of the peer proxy, how each is known, last start and stop. */
import type { Analysis, ServerSummary } from '../../model/analysis.js';
import { sortBy } from '../order.js';
import type { Page } from './page.js';
import { table } from './table.js';

export function renderServers(page: Page, analysis: Analysis): string[] {
  const several = analysis.clusters.length > 1;
  const stops = analysis.servers.some((server) => server.stops.length > 0);
  const servers = sortBy(analysis.servers, (server) => [server.cluster, server.name]);
  const rows = servers.map((server) => [
    ...(several ? [server.cluster] : []),
    server.name,
    versionsOf(server),
    server.peerAddress ?? [...server.addresses].sort().join(' '),
    { text: server.peerProxy, paint: server.peerProxy === 'active' ? page.good : page.doubtful },
    server.knownBy,
    lastOf(page, server.starts),
    ...(stops ? [lastOf(page, server.stops)] : []),
  ]);
  const titles = [
    'server',
    'versions',
    'address',
    'peer proxy',
    'known by',
    'last start',
    ...(stops ? ['last stop'] : []),
  ];
  const columns = (several ? ['cluster', ...titles] : titles).map((title) =>
    title === 'known by' ? ({ title, cut: true } as const) : { title },
  );
  return table(page, columns, rows);
}

function versionsOf(server: ServerSummary): string {
  const versions = sortBy(server.versions, ({ from, version }) => [from, version]).map(({ version }) => version);
  return versions.length === 0 ? '?' : versions.join(' → ');
}

/** `11:20:00`, or `11:20:00 (2)` where it is the last of two; '' for none. */
function lastOf(page: Page, times: readonly number[]): string {
  if (times.length === 0) return '';
  const last = page.clock.at(Math.max(...times));
  return times.length === 1 ? last : `${last} (${times.length})`;
}
