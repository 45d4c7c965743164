/** The discovery matrix: what each server (row) knows of the APIs of each peer (column) at the end of the records. */
import type { Analysis, DiscoveryCell } from '../../model/analysis.js';
import type { PeerCallCause } from '../../model/observations/index.js';
import { groupBy, sortBy, sortEdges } from '../order.js';
import { escapeText } from './escape.js';
import { enumerate, type Page, plural } from './page.js';
import { type Cell, table } from './table.js';
import { columnsOf } from './width.js';
import { indented } from './wrap.js';

const WORDS = { ok: 'ok', failing: 'FAILING', missing: 'missing', unknown: '?' } as const;
const LEGEND =
  'ok = asked and answered; FAILING = asked, with errors; missing = not asked, or no more; ? = these records cannot tell';
const EDGES_SHOWN = 12;
const NAMES_SHOWN = 6;
const OF_THE_NETWORK: ReadonlySet<PeerCallCause> = new Set(['refused', 'timeout', 'no-route', 'unknown-host']);

export function renderMatrix(page: Page, analysis: Analysis): string[] {
  const cells = sortEdges(analysis.discovery);
  if (cells.length === 0) return ['  nothing to show: fewer than two servers, or no record of peer discovery'];
  if (cells.every(({ state }) => state === 'unknown')) return ['  unknown for every pair: these records cannot tell'];
  const clusters = groupByCluster(analysis, cells);
  const grids = clusters.flatMap((group) => grid(page, group));
  const off = new Set(analysis.servers.filter(({ peerProxy }) => peerProxy === 'inactive').map(({ name }) => name));
  const broken = cells.filter(({ state }) => state === 'failing' || state === 'missing');
  const silent = sortBy([...new Set(broken.map(({ source }) => source).filter((source) => off.has(source)))], (n) => [
    n,
  ]);
  const notes = broken.filter(({ source }) => !off.has(source));
  const shown = notes.slice(0, EDGES_SHOWN).flatMap((cell) => indented(escapeText(note(page, cell)), page.width));
  if (silent.length > 0) shown.unshift(...indented(escapeText(proxyless(silent)), page.width));
  const rest = notes.length - EDGES_SHOWN;
  return [
    ...grids,
    ...indented(LEGEND, page.width).map(page.dim),
    ...shown,
    ...(rest > 0
      ? [`  and ${plural(rest, 'more edge')} that ${rest === 1 ? 'is' : 'are'} not ok, in --format json`]
      : []),
  ];
}

function groupByCluster(analysis: Analysis, cells: readonly DiscoveryCell[]): DiscoveryCell[][] {
  const clusterOf = new Map(analysis.servers.map(({ name, cluster }) => [name, cluster]));
  return [...groupBy(cells, ({ cluster, source }) => cluster ?? clusterOf.get(source) ?? '').values()];
}

function grid(page: Page, cells: readonly DiscoveryCell[]): string[] {
  const names = [...new Set(cells.flatMap(({ source, destination }) => [source, destination]))].sort();
  const sources = new Set(cells.map(({ source }) => source));
  const columns = [{ title: 'from \\ to' }, ...names.map((title) => ({ title: escapeText(title) }))];
  const wide = columns.reduce((sum, { title }) => sum + 2 + Math.max(7, columnsOf(title)), 0);
  // Too many servers for one screen: the counts here, the edges that are not ok below.
  if (wide > page.width) return [`  ${counts(cells)}`];
  const states = new Map(cells.map((cell) => [`${cell.source}\u0000${cell.destination}`, cell.state]));
  const cell = (source: string, destination: string): Cell | string => {
    if (source === destination) return '.';
    const state = states.get(`${source}\u0000${destination}`) ?? 'unknown';
    return {
      text: WORDS[state],
      paint: { ok: page.good, failing: page.bad, missing: page.bad, unknown: page.dim }[state],
    };
  };
  return table(
    page,
    columns,
    // A server of which only its peers' logs tell is no row: nothing is known of its own calls.
    names
      .filter((name) => sources.has(name))
      .map((source) => [source, ...names.map((destination) => cell(source, destination))]),
  );
}

function counts(cells: readonly DiscoveryCell[]): string {
  const states = ['ok', 'failing', 'missing', 'unknown'] as const;
  const parts = states.map((state) => `${cells.filter((cell) => cell.state === state).length} ${WORDS[state]}`);
  return `${plural(cells.length, 'edge')}: ${parts.join(', ')}`;
}

function proxyless(servers: readonly string[]): string {
  const one = servers.length === 1;
  return `${enumerate(servers, NAMES_SHOWN)} ${one ? 'has' : 'have'} no peer proxy and ${one ? 'asks' : 'ask'} nobody`;
}

function note(page: Page, cell: DiscoveryCell): string {
  const edge = `${cell.source} → ${cell.destination} ${WORDS[cell.state]}`;
  if (cell.state === 'missing' && cell.fetches + cell.failures === 0) return `${edge}: no call was seen`;
  // Before it is up nobody can reach it: such failures are no fault, and are not counted here.
  const up = cell.cause !== null && OF_THE_NETWORK.has(cell.cause) ? ` while ${cell.destination} was up` : '';
  const cause = cell.cause === null ? '' : ` (${cell.cause})${up}`;
  const last = cell.lastAt === null ? '' : `, last ${page.clock.at(cell.lastAt)}`;
  return `${edge}: ${plural(cell.failures, 'failure')}${cause}, ${plural(cell.fetches, 'answer')}${last}`;
}
