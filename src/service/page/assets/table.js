/** Tables with headers for both directions, which scroll inside themselves on a narrow screen. */
import { h, name } from './dom.js';

/** @typedef {import('./dom.js').Child} Child */
/** @typedef {{ title: string, number?: boolean }} Column */
/** @typedef {{ key: string, cells: readonly Cell[], class?: string, title?: string | undefined }} Row */
/** @typedef {Child | { of: Child | readonly Child[], class?: string, title?: string | undefined }} Cell */

/**
 * The first column names the row.
 * @param {string} label what the table is, for screen readers
 * @param {readonly Column[]} columns
 * @param {readonly Row[]} rows
 */
export function table(label, columns, rows, className = '') {
  const head = columns.map(({ title, number }) =>
    h('th', { scope: 'col', class: number ? 'number' : null }, name(title)),
  );
  const body = rows.map((row) =>
    h(
      'tr',
      { 'data-key': row.key, class: row.class, title: row.title },
      row.cells.map((cell, at) => cellOf(cell, at, columns[at]?.number === true)),
    ),
  );
  return h(
    'div',
    { class: `scroll ${className}`, role: 'region', 'aria-label': label, tabindex: 0 },
    h('table', {}, h('thead', {}, h('tr', {}, head)), h('tbody', {}, body)),
  );
}

/**
 * @param {Cell} cell
 * @param {number} at
 * @param {boolean} number
 */
function cellOf(cell, at, number) {
  const plain = typeof cell !== 'object' || cell === null || cell instanceof Node;
  const { of, class: name = '', title } = plain ? { of: cell, title: undefined } : cell;
  const classes = `${number ? 'number ' : ''}${name}`.trim();
  const attributes = { class: classes === '' ? null : classes, title };
  return h(at === 0 ? 'th' : 'td', at === 0 ? { scope: 'row', ...attributes } : attributes, of);
}

/**
 * Rows with keys that stay theirs when others come or go: equal rows are numbered.
 * @param {readonly Row[]} rows
 * @returns {Row[]}
 */
export function numbered(rows) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return rows.map((row) => {
    const count = (seen.get(row.key) ?? 0) + 1;
    seen.set(row.key, count);
    return count === 1 ? row : { ...row, key: `${row.key} ${count}` };
  });
}
