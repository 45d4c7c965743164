/** What was read, and every piece of it that did not become a record: nothing is dropped in silence. */
import type { Analysis, InputSummary } from '../../model/analysis.js';
import { sortBy } from '../order.js';
import { escapeText } from './escape.js';
import { enumerate, groupDigits, type Page, plural } from './page.js';
import { table } from './table.js';
import { indented } from './wrap.js';

const ROWS = 20;
const NAMES = 8;

export function renderInputs(page: Page, analysis: Analysis): string[] {
  const inputs = sortBy(analysis.inputs, (input) => [input.name, input.kind, input.bytes]);
  const troubled = inputs.filter((input) => problemsOf(input).length > 0 || input.records === 0);
  const good = inputs.length - troubled.length;
  const records = inputs.reduce((sum, input) => sum + input.records, 0);
  const bytes = inputs.reduce((sum, input) => sum + input.bytes, 0);
  const head = indented(
    `${plural(inputs.length, 'input')}, ${size(bytes)}, ${plural(records, 'record')}; ${good} without anything skipped`,
    page.width,
  );
  const unattributed = inputs.filter((input) => input.server === null && lookedAt(input) > 0).map(({ name }) => name);
  if (unattributed.length > 0) {
    const names = escapeText(enumerate(unattributed, NAMES));
    head.push(...indented(`not known to be written by one server: ${names}`, page.width));
  }
  if (troubled.length === 0) return head;
  const rows = troubled.slice(0, ROWS).map((input) => [
    input.name,
    input.server ?? '?',
    groupDigits(input.records),
    {
      text: problemsOf(input).join(', ') || 'nothing usable in it',
      paint: page.doubtful,
    },
  ]);
  const rest = troubled.slice(ROWS);
  return [
    ...head,
    ...table(
      page,
      [{ title: 'input' }, { title: 'server' }, { title: 'records', align: 'right' }, { title: 'skipped' }],
      rows,
    ),
    ...(rest.length > 0 ? [`  and ${plural(rest.length, 'more input')} with something skipped, in --format json`] : []),
  ];
}

function lookedAt({ records, problems }: InputSummary): number {
  return records - (problems['outside-time'] ?? 0);
}

function problemsOf(input: InputSummary): string[] {
  return sortBy(Object.entries(input.problems), ([reason]) => [reason])
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${groupDigits(count)} ${reason}`);
}

function size(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
