/** The 404 answers that matter (wrong or undecided), and only the totals of the ordinary ones. */
import type { Analysis, NotFoundSummary } from '../../model/analysis.js';
import { sortBy } from '../order.js';
import { enumerate, groupDigits, type Page } from './page.js';
import { table } from './table.js';
import { indented } from './wrap.js';

const ROWS = 15;
const UNDECIDED =
  'undecided = a server has the API in these records, but whether one had it at that moment (not starting, not stopped) cannot be told';

export function renderNotFound(page: Page, analysis: Analysis): string[] {
  const matter = analysis.notFound.filter(({ kind }) => kind === 'wrong' || kind === 'undecided');
  const sorted = sortBy(matter, ({ kind, count, cluster, server, resource }) => [
    kind === 'wrong' ? 0 : 1,
    -count,
    cluster ?? null,
    server,
    resource,
  ]);
  const several = analysis.clusters.length > 1;
  const rows = sorted
    .slice(0, ROWS)
    .map((answer) => [
      ...(several ? [answer.cluster ?? '?'] : []),
      answer.server,
      answer.resource,
      { text: answer.kind, paint: answer.kind === 'wrong' ? page.bad : page.doubtful },
      groupDigits(answer.count),
      enumerate([...answer.clients].sort(), 3),
    ]);
  const columns = [
    ...(several ? [{ title: 'cluster' }] : []),
    { title: 'server' },
    { title: 'resource' },
    { title: 'kind' },
    { title: 'count', align: 'right' },
    { title: 'clients', cut: true },
  ] as const;
  return [
    ...(rows.length === 0 ? ['  none that a server gave wrongly'] : table(page, columns, rows)),
    ...(sorted.some(({ kind }) => kind === 'undecided') ? indented(UNDECIDED, page.width).map(page.dim) : []),
    ...(sorted.length > ROWS ? [`  and ${sorted.length - ROWS} more rows in --format json`] : []),
    ...indented(ordinary(analysis), page.width),
  ];
}

function ordinary(analysis: Analysis): string {
  const absent = groupDigits(total(analysis, 'object'));
  const unserved = groupDigits(total(analysis, 'unknown-type'));
  return `ordinary ones: ${absent} where only the object was absent, ${unserved} for types that nobody serves`;
}

function total(analysis: Analysis, kind: NotFoundSummary['kind']): number {
  return analysis.notFound.reduce((sum, answer) => (answer.kind === kind ? sum + answer.count : sum), 0);
}
