/** 404 answers that were wrong, or may have been. */
import { h, name } from './dom.js';
import { numbered, table } from './table.js';
import { shortName } from './visible.js';
import { digits, enumerate } from './words.js';

/** @typedef {import('./page-state.js').PageState} PageState */

/** @param {PageState} state */
export function renderNotFound({ analysis, cluster }) {
  const servers = new Set(
    (analysis?.servers ?? [])
      .filter((server) => cluster === null || server.cluster === cluster)
      .map((server) => server.name),
  );
  const rows = (analysis?.notFound ?? [])
    .filter(({ kind, server }) => (kind === 'wrong' || kind === 'undecided') && servers.has(server))
    .map(({ server, resource, kind, count, clients }) => ({
      key: `${server} ${resource} ${kind}`,
      cells: [name(server), kind, digits(count), name(resource), enumerate(clients.map(shortName), 3)],
    }));
  const columns = [
    { title: 'Server' },
    { title: 'Kind' },
    { title: 'Count', number: true },
    { title: 'Resource' },
    { title: 'Clients' },
  ];
  return h(
    'section',
    { hidden: rows.length === 0 },
    h('h2', { id: 'not-found-title' }, '404 answers'),
    h('p', { class: 'quiet' }, 'wrong: another server serves the resource; undecided: the records do not tell.'),
    table('404 answers', columns, numbered(rows)),
  );
}
