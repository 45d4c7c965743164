/** Requests that servers passed on to peers: how many on which way, and the latest of them one by one. */
import { edge, h, icon, name } from './dom.js';
import { ofCluster } from './page-state.js';
import { numbered, table } from './table.js';
import { visible } from './visible.js';
import { clock, digits, duration, plural } from './words.js';

/** @typedef {import('./page-state.js').PageState} PageState */
/** @typedef {import('./page-state.js').ProxiedRequest} ProxiedRequest */

const ROUTES_SHOWN = 30;
const RECENT_SHOWN = 100;
const NONE = { total: 0, failed: 0, routes: [] };

/** @param {PageState} state */
export function renderRequests(state) {
  const proxied = state.analysis?.proxied ?? NONE;
  return h(
    'section',
    { hidden: state.analysis === null },
    h('h2', { id: 'requests-title' }, 'Proxied requests'),
    h('p', { class: 'quiet' }, summary(state)),
    routes(ofCluster(proxied.routes, state.cluster)),
    recent(state),
  );
}

/** @param {PageState} state */
function summary({ analysis }) {
  const { total, failed } = analysis?.proxied ?? NONE;
  return `${plural(total, 'request')} passed on to a peer in the window; ${failed === 0 ? 'none' : digits(failed)} that reached no peer.`;
}

/** @param {readonly import('./page-state.js').Analysis['proxied']['routes'][number][]} all */
function routes(all) {
  if (all.length === 0) return null;
  const sorted = [...all].sort((a, b) => b.count - a.count);
  // What tells most stands first: a phone shows the beginning of a row.
  const columns = [
    { title: 'From → to' },
    { title: 'Count', number: true },
    ...['Code', 'Verb', 'Resource'].map((title) => ({ title })),
    ...['Hop p50', 'p99', 'max'].map((title) => ({ title, number: true })),
  ];
  const rows = sorted.slice(0, ROUTES_SHOWN).map(({ source, destination, verb, resource, code, count, hopMs }) => ({
    key: `${source} ${destination} ${verb} ${resource} ${code}`,
    cells: [
      edge(source, destination),
      digits(count),
      codeOf(code),
      name(verb),
      name(resource),
      ...(hopMs === null ? ['–', '–', '–'] : [hopMs.p50, hopMs.p99, hopMs.max].map(duration)),
    ],
  }));
  const rest = sorted.length - rows.length;
  return h(
    'div',
    { 'data-key': 'routes' },
    table('Routes of proxied requests', columns, numbered(rows)),
    rest > 0 ? h('p', { class: 'quiet' }, `and ${plural(rest, 'more route')}, in /api/v1/analysis`) : null,
  );
}

/** @param {PageState} state */
function recent({ requests, cluster, now }) {
  const shown = ofCluster(requests, cluster).slice(0, RECENT_SHOWN);
  const columns = [
    ...['Time', 'From → to', 'Code'].map((title) => ({ title })),
    { title: 'Took', number: true },
    ...['Verb', 'Resource', 'Cause'].map((title) => ({ title })),
  ];
  return h(
    'div',
    { 'data-key': 'recent' },
    h('h3', {}, 'Latest'),
    shown.length === 0
      ? h('p', { class: 'empty' }, 'No request has been passed on since this service started.')
      : table('Latest proxied requests', columns, numbered(shown.map((request) => row(request, now))), 'recent'),
  );
}

/**
 * @param {ProxiedRequest} request
 * @param {number} now
 */
function row(request, now) {
  const { source, destination, cause, durationMs } = request;
  const lost = destination === null;
  return {
    key: `${request.auditID} ${source.server} ${source.received}`,
    class: lost ? 'lost' : '',
    cells: [
      { of: clock(source.received, now), title: `${source.received}, Audit-ID ${visible(request.auditID)}` },
      lost
        ? h('span', { class: 'edge' }, name(source.server), ' → ', icon('failing'), ' nobody')
        : edge(source.server, destination.server),
      codeOf(source.code ?? destination?.code ?? null),
      durationMs === null ? 'open' : duration(durationMs),
      name(request.verb),
      { of: [name(request.resource), object(request)], title: visible(request.uri) },
      cause === null ? (request.ambiguous ? 'ambiguous' : '') : visible(cause),
    ],
  };
}

/** @param {ProxiedRequest} request */
function object({ namespace, name: object }) {
  const text = [namespace, object].filter((part) => part !== '').join('/');
  return text === '' ? null : h('span', { class: 'quiet' }, ' ', name(text));
}

/** @param {number | null} code */
function codeOf(code) {
  if (code === null) return '–';
  return h(
    'span',
    { class: code >= 500 ? 'bad' : null },
    code >= 500 ? icon('failing') : null,
    code >= 500 ? ' ' : null,
    code,
  );
}
