import { describe, expect, test } from '@jest/globals';
import { changeLine, subjectOf } from '../../src/cli/change-line.js';
import { frame, LiveView } from '../../src/cli/live-view.js';
import { StreamOutput } from '../../src/cli/output.js';
import { analysis, FakeStream, finding } from './fakes.js';

const hostile = finding({ server: 'cp\x1b[31m', edges: [], summary: 'two\nlines \u202e', title: 't' });

describe('changeLine', () => {
  test('is one harmless line', () => {
    expect(changeLine({ kind: 'updated', finding: hostile }, 0)).toBe(
      '2026-01-05T03:04:06.000000Z UPDATED critical peer-ca-untrusted cp\\x1b[31m two lines \\u202e',
    );
  });

  test('has the time of the latest record where a finding has none', () => {
    const timeless = finding({ from: 0, to: 0 });
    expect(changeLine({ kind: 'opened', finding: timeless }, 1_767_582_245_000_000)).toMatch(
      /^2026-01-05T03:04:05\.000000Z OPENED /,
    );
  });

  test('names the calls affected, else the server', () => {
    const edges = (...pairs: string[]) => pairs.map((p) => ({ source: p.slice(0, 1), destination: p.slice(1) }));
    expect(subjectOf(finding({ edges: edges('ab', 'ac') }))).toBe('a → b,c');
    expect(subjectOf(finding({ edges: edges('ab', 'cb', 'db', 'eb') }))).toBe('a,c and 2 more → b');
    expect(subjectOf(finding({ edges: [], server: 'cp1' }))).toBe('cp1');
    expect(subjectOf(finding({ edges: [], server: null }))).toBe('-');
  });
});

describe('frame', () => {
  const many = Array.from({ length: 40 }, (_, at) => finding({ fingerprint: `${at}`, summary: 'x'.repeat(300) }));
  const changes = many.map((one) => ({ kind: 'opened' as const, finding: one }));

  test.each([
    [80, 24],
    [40, 5],
    [200, 100],
    [80, 1],
  ])('fits a terminal of %d columns and %d rows', (columns, rows) => {
    const view = { analysis: analysis({ findings: many }), changes, bytes: 5, inputs: 2 };
    const lines = frame(view, { columns, rows }, false);
    expect(lines.length).toBeLessThanOrEqual(Math.max(3, rows - 1));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  });

  test('before the first record it says so', () => {
    const view = { analysis: undefined, changes: [], bytes: 0, inputs: 1 };
    expect(frame(view, { columns: 100, rows: 24 }, false)).toEqual([
      '1 input, 0 B, last record: no record yet. Ctrl-C ends with a summary.',
      'Servers: none known yet',
      'No finding so far.',
    ]);
  });

  test('log text cannot act on the terminal', () => {
    const current = analysis({ findings: [hostile] });
    const view = { analysis: current, changes: [{ kind: 'opened' as const, finding: hostile }], bytes: 0, inputs: 1 };
    expect(frame(view, { columns: 200, rows: 24 }, false).join('')).not.toMatch(/[\x00-\x1f\u202e]/);
  });
});

test('a frame is drawn over the one before, and clearing takes it away', async () => {
  const stream = new FakeStream();
  const view = new LiveView(new StreamOutput(stream), () => ({ columns: 80, rows: 24 }), false);
  const content = { analysis: undefined, changes: [], bytes: 0, inputs: 1 };
  await view.draw(content);
  expect(stream.text).not.toContain('\x1b');
  await view.draw(content);
  expect(stream.text).toContain('\x1b[3A\x1b[J');
  await view.clear();
  expect(stream.text.endsWith('\x1b[3A\x1b[J')).toBe(true);
});
