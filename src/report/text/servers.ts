/** The table of servers: versions over time, address, state of the peer proxy, how each is known, last start and stop. */
import type { Analysis, ServerSummary } from '../../model/analysis.js';
import { sortBy } from '../order.js';
import { escapeText } from './escape.js';
import type { Page } from './page.js';
import { table } from './table.js';
import { indented } from './wrap.js';

/** How a server is known of which no input is there to be named. */
const ELSEWHERE: ReadonlySet<string> = new Set(['identity lease only', "a peer's log only"]);

export function renderServers(page: Page, analysis: Analysis): string[] {
  const several = analysis.clusters.length > 1;
  const stops = analysis.servers.some((server) => server.stops.length > 0);
  const servers = sortBy(analysis.servers, (server) => [server.cluster, server.name]);
  const rows = servers.map((server) => [
    ...(several ? [server.cluster] : []),
    server.node === undefined ? server.name : `${server.node} (${server.name})`,
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
  return [...table(page, columns, rows), ...naming(page, servers)];
}

/** An identity lease is named by a hash, which says nothing to people. */
function naming(page: Page, servers: readonly ServerSummary[]): string[] {
  const nameless = servers.find(
    ({ name, identity, knownBy, node }) => name === identity && node === undefined && !ELSEWHERE.has(knownBy),
  );
  if (nameless === undefined) return [];
  const text =
    `${nameless.name} is the name of an identity lease: the records hold no host name. ` +
    "Give a name with --server NAME=GLOB over the inputs' names, as in --server cp1=- for standard input.";
  return indented(escapeText(text), page.width).map(page.dim);
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
