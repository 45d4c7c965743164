/** 404 answers that were wrong, or may have been. */
import { h, name } from './dom.js';
import { ofCluster } from './page-state.js';
import { numbered, table } from './table.js';
import { shortName } from './visible.js';
import { digits, enumerate } from './words.js';

/** @typedef {import('./page-state.js').PageState} PageState */

/** @param {PageState} state */
export function renderNotFound({ analysis, cluster }) {
  const several = (analysis?.clusters ?? []).length > 1;
  const rows = ofCluster(analysis?.notFound ?? [], cluster)
    .filter(({ kind }) => kind === 'wrong' || kind === 'undecided')
    .map(({ cluster: of, server, resource, kind, count, clients }) => ({
      key: `${of ?? ''} ${server} ${resource} ${kind}`,
      cells: [
        ...(several ? [name(of ?? '?')] : []),
        name(server),
        kind,
        digits(count),
        name(resource),
        enumerate(clients.map(shortName), 3),
      ],
    }));
  const columns = [
    ...(several ? [{ title: 'Cluster' }] : []),
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
