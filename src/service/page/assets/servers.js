/** The servers of the control plane: versions over time, addresses, and what their peer proxy does. */
import { h, icon, name } from './dom.js';
import { ofCluster, shownClusters } from './page-state.js';
import { numbered, table } from './table.js';
import { span } from './words.js';

/** @typedef {import('./page-state.js').PageState} PageState */
/** @typedef {import('./page-state.js').Analysis['servers'][number]} Server */

const PROXIES = /** @type {const} */ ({
  active: { shape: 'ok', tone: 'good' },
  inactive: { shape: 'missing', tone: 'doubt' },
  unknown: { shape: 'unknown', tone: 'quiet' },
});

/** @param {PageState} state */
export function renderServers(state) {
  const servers = state.analysis === null ? [] : ofCluster(state.analysis.servers, state.cluster);
  const several = shownClusters(state).length > 1;
  const titles = ['Server', ...(several ? ['Cluster'] : []), 'Version', 'Peer proxy', 'Peer address', 'Addresses'];
  const rows = servers.map((server) => ({
    key: `${server.cluster ?? ''} ${server.name}`,
    title: server.identity ?? undefined,
    cells: [
      name(server.name),
      ...(several ? [name(server.cluster ?? '?')] : []),
      { of: versions(server, state.now) },
      proxy(server),
      server.peerAddress === null ? '–' : name(server.peerAddress),
      { of: addresses(server) },
    ],
  }));
  return h(
    'section',
    { hidden: state.analysis === null },
    h('h2', { id: 'servers-title' }, 'Servers'),
    rows.length === 0
      ? h('p', { class: 'empty' }, 'No kube-apiserver is known yet: no record of one has come.')
      : table(
          'Servers',
          titles.map((title) => ({ title })),
          numbered(rows),
          'servers',
        ),
  );
}

/**
 * Latest last, each with when it was seen.
 * @param {Server} server
 * @param {number} now
 */
function versions(server, now) {
  if (server.versions.length === 0) return ['unknown'];
  return server.versions.map(({ version, from, to }, at) =>
    h(
      'div',
      { title: `seen ${span(from, to, now)} UTC` },
      at === 0 ? null : '→ ',
      name(version),
      h('span', { class: 'quiet' }, ` ${span(from, from, now)}`),
    ),
  );
}

/** @param {Server} server */
function addresses(server) {
  return server.addresses.length === 0 ? ['–'] : server.addresses.map((address) => h('div', {}, name(address)));
}

/** @param {Server} server */
function proxy({ peerProxy }) {
  const { shape, tone } = PROXIES[peerProxy];
  return h('span', { class: tone }, icon(shape), ' ', peerProxy);
}
