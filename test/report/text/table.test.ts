import { describe, expect, test } from '@jest/globals';
import { createClock } from '../../../src/report/text/clock.js';
import { createPage } from '../../../src/report/text/page.js';
import { table } from '../../../src/report/text/table.js';
import { analysis } from '../example.js';

const page = (width: number, color = false) => createPage({ width, color }, createClock(analysis()));

describe('table', () => {
  const columns = [{ title: 'server' }, { title: 'count', align: 'right' }, { title: 'note', cut: true }] as const;

  test('aligns, escapes, and trims the end of lines', () => {
    expect(table(page(80), columns, [['cp1', '7', 'a\nb'], ['control-plane-2', '1234'], ['漢']])).toStrictEqual([
      '  server           count  note',
      '  cp1                  7  a\\nb',
      '  control-plane-2   1234',
      '  漢',
    ]);
  });

  test('cuts only the column that may be cut', () => {
    const rows = [['10.123.123.123:6443', '7', 'a rather long remark about the server']];
    expect(table(page(50), columns, rows)[1]).toBe('  10.123.123.123:6443      7  a rather long remar…');
    expect(table(page(40), columns, [['x'.repeat(60), '7', 'a rather long remark']])[1]).toBe(
      `  ${'x'.repeat(60)}      7  a rather lo…`,
    );
  });

  test('paints the text and not its padding', () => {
    const lines = table(
      page(80, true),
      [{ title: 'a' }, { title: 'b' }],
      [[{ text: 'x', paint: (t) => `<${t}>` }, 'y']],
    );
    expect(lines[1]).toBe('  <x>  y');
  });
});
