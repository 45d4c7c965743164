/** A small aligned table: every cell escaped, columns as wide as their widest cell, one column may be cut to fit. */
import { escapeText } from './escape.js';
import type { Page, Paint } from './page.js';
import { columnsOf, cutEnd, cutWords } from './width.js';

export interface Column {
  readonly title: string;
  readonly align?: 'right';
  /** Cut with `…` when the table is wider than the page, sentences between words; other columns (addresses, names) are never cut. */
  readonly cut?: true | 'words';
}

export interface Cell {
  readonly text: string;
  readonly paint?: Paint;
  /** Whom a sentence is about: to be read even where it is cut. */
  readonly subject?: string;
}

const GAP = '  ';
const LEAST = 12;

/** Lines of the table, indented by two; the head dimmed. Rows shorter than the columns are filled with blanks. */
export function table(page: Page, columns: readonly Column[], rows: readonly (readonly (Cell | string)[])[]): string[] {
  const cells = rows.map((row) => columns.map((_, at) => cellOf(row[at] ?? '')));
  const natural = columns.map(({ title }, at) =>
    Math.max(columnsOf(title), ...cells.map((row) => columnsOf(row[at]?.text ?? ''))),
  );
  const widths = narrow(columns, natural, page.width - GAP.length * columns.length);
  const draw = (row: readonly Cell[]) =>
    `${GAP}${row.map((cell, at) => pad(cell, columns[at], widths[at] ?? 0)).join(GAP)}`.trimEnd();
  const head = draw(columns.map(({ title }) => ({ text: title, paint: page.dim })));
  return columns.some(({ title }) => title !== '') ? [head, ...cells.map(draw)] : cells.map(draw);
}

function cellOf(cell: Cell | string): Cell {
  return typeof cell === 'string'
    ? { text: escapeText(cell) }
    : { ...cell, text: escapeText(cell.text), subject: escapeText(cell.subject ?? '') };
}

function narrow(columns: readonly Column[], natural: readonly number[], room: number): number[] {
  let excess = natural.reduce((sum, width) => sum + width, 0) - room;
  return natural.map((width, at) => {
    if (excess <= 0 || !columns[at]?.cut) return width;
    const kept = Math.max(Math.min(LEAST, width), width - excess);
    excess -= width - kept;
    return kept;
  });
}

function pad(cell: Cell, column: Column | undefined, width: number): string {
  const text = column?.cut === 'words' ? cutWords(cell.text, width, cell.subject) : cutEnd(cell.text, width);
  const blanks = ' '.repeat(width - columnsOf(text));
  // Painted without its padding, so that trailing blanks stay trimmable and underlines stay short.
  const painted = cell.paint && text !== '' ? cell.paint(text) : text;
  return column?.align === 'right' ? `${blanks}${painted}` : `${painted}${blanks}`;
}
