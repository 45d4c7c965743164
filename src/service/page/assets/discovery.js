/** The discovery matrix: what each server (row) knows of the APIs of each peer (column). */
import { edge, h, icon, name } from './dom.js';
import { ofCluster, shownClusters } from './page-state.js';
import { table } from './table.js';
import { clock, plural } from './words.js';

/** @typedef {import('./page-state.js').PageState} PageState */
/** @typedef {import('./page-state.js').Analysis['discovery'][number]} Edge */

const WORDS = { ok: 'ok', failing: 'failing', missing: 'missing', unknown: 'unknown' };
const WORST_FIRST = /** @type {const} */ (['failing', 'missing', 'unknown', 'ok']);
const LEGEND =
  'Row asks column. ok: asked and answered; failing: asked, with errors; missing: never asked; unknown: these records cannot tell.';

/** @param {PageState} state */
export function renderDiscovery(state) {
  const clusters = shownClusters(state);
  const all = state.analysis?.discovery ?? [];
  const groups =
    clusters.length === 0
      ? [{ cluster: null, edges: all }]
      : clusters.map((cluster) => ({ cluster, edges: ofCluster(all, cluster) }));
  return h(
    'section',
    { hidden: state.analysis === null },
    h('h2', { id: 'discovery-title' }, 'Peer discovery'),
    groups.map(({ cluster, edges }) => group(cluster, edges, state.now, clusters.length > 1)),
    all.length === 0 ? null : h('p', { class: 'quiet legend' }, LEGEND),
  );
}

/**
 * @param {string | null} cluster
 * @param {readonly Edge[]} edges
 * @param {number} now
 * @param {boolean} titled
 */
function group(cluster, edges, now, titled) {
  const wrong = edges.filter(({ state }) => state === 'failing' || state === 'missing');
  return h(
    'div',
    { class: 'group', 'data-key': `matrix ${cluster ?? ''}` },
    titled && cluster !== null ? h('h3', {}, name(cluster)) : null,
    edges.length === 0
      ? h(
          'p',
          { class: 'empty' },
          'Nothing to show: fewer than two servers are known, or no record tells of peer discovery.',
        )
      : matrix(edges, now),
    wrong.length === 0
      ? null
      : h(
          'ul',
          { class: 'edges' },
          wrong.map((cell) => h('li', {}, edge(cell.source, cell.destination), ` ${note(cell, now)}`)),
        ),
  );
}

/**
 * @param {readonly Edge[]} edges
 * @param {number} now
 */
function matrix(edges, now) {
  const names = [...new Set(edges.flatMap(({ source, destination }) => [source, destination]))].sort();
  const sources = new Set(edges.map(({ source }) => source));
  const cell = (/** @type {string} */ source, /** @type {string} */ destination) => {
    if (source === destination) return { of: '', class: 'self' };
    // Servers of one name in several clusters: the worst is shown.
    const found = edges.filter((known) => known.source === source && known.destination === destination);
    const worst = WORST_FIRST.map((state) => found.find((known) => known.state === state)).find(
      (known) => known !== undefined,
    );
    const state = worst?.state ?? 'unknown';
    const title = worst === undefined ? undefined : note(worst, now);
    return { of: [icon(state), ' ', WORDS[state]], class: `state ${state}`, title };
  };
  return table(
    'Peer discovery, from row to column',
    [{ title: 'from \\ to' }, ...names.map((title) => ({ title }))],
    names
      .filter((source) => sources.has(source))
      .map((source) => ({
        key: source,
        cells: [name(source), ...names.map((destination) => cell(source, destination))],
      })),
    'matrix',
  );
}

/**
 * @param {Edge} cell
 * @param {number} now
 */
function note(cell, now) {
  if (cell.fetches + cell.failures === 0) return `${WORDS[cell.state]}: no call was seen`;
  const cause = cell.cause === null ? '' : ` (${cell.cause})`;
  const last = cell.lastAt === null ? '' : `, last ${clock(cell.lastAt, now)} UTC`;
  return `${WORDS[cell.state]}: ${plural(cell.failures, 'failure')}${cause}, ${plural(cell.fetches, 'answer')}${last}`;
}
