/** The table of servers: versions over time, address, state of the peer proxy, how each is known, starts and stops. */
import type { Analysis, ServerSummary } from '../../model/analysis.js';
import { sortBy } from '../order.js';
import { type Page, plural } from './page.js';
import { table } from './table.js';

export function renderServers(page: Page, analysis: Analysis): string[] {
  const several = analysis.clusters.length > 1;
  const servers = sortBy(analysis.servers, (server) => [server.cluster, server.name]);
  const rows = servers.map((server) => [
    ...(several ? [server.cluster] : []),
    server.name,
    versionsOf(server),
    server.peerAddress ?? [...server.addresses].sort().join(' '),
    { text: server.peerProxy, paint: server.peerProxy === 'active' ? page.good : page.doubtful },
    server.knownBy,
    livesOf(page, server),
  ]);
  const titles = ['server', 'versions', 'address', 'peer proxy', 'known by', 'starts and stops'];
  const columns = (several ? ['cluster', ...titles] : titles).map((title) =>
    title === 'starts and stops' ? ({ title, cut: true } as const) : { title },
  );
  return table(page, columns, rows);
}

function versionsOf(server: ServerSummary): string {
  const versions = sortBy(server.versions, ({ from, version }) => [from, version]).map(({ version }) => version);
  return versions.length === 0 ? '?' : versions.join(' → ');
}

function livesOf(page: Page, server: ServerSummary): string {
  return [timesOf(page, 'start', server.starts), timesOf(page, 'stop', server.stops)]
    .filter((part) => part !== '')
    .join(', ');
}

function timesOf(page: Page, what: string, times: readonly number[]): string {
  const last = times.length === 0 ? undefined : Math.max(...times);
  if (last === undefined) return '';
  return times.length === 1
    ? `${what} ${page.clock.at(last)}`
    : `${plural(times.length, what)}, last ${page.clock.at(last)}`;
}
