import { describe, expect, test } from '@jest/globals';
import { ndjsonStream, renderNdjson } from '../../src/report/ndjson.js';
import { toResult } from '../../src/report/result.js';
import { analysis } from './example.js';
import { withStrings } from './hostile.js';

async function linesOf(text: Promise<string>): Promise<Record<string, unknown>[]> {
  const lines = (await text).split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('renderNdjson', () => {
  test('is one line for each thing, told apart by kind', async () => {
    const lines = await linesOf(renderNdjson(analysis()));
    expect(lines.map(({ kind }) => kind)).toStrictEqual([
      'analysis',
      ...Array<string>(4).fill('finding'),
      ...Array<string>(2).fill('server'),
      'route',
      ...Array<string>(2).fill('discovery'),
      ...Array<string>(2).fill('not-found'),
      ...Array<string>(2).fill('input'),
      ...Array<string>(2).fill('unjudged'),
    ]);
  });

  test('carries the fields of the JSON result', async () => {
    const lines = await linesOf(renderNdjson(analysis()));
    const { findings, window } = toResult(analysis());
    expect(lines[0]).toMatchObject({ schema: 'skewscope.analysis/v1', window, proxied: { total: 11, failed: 2 } });
    expect(lines[1]).toStrictEqual({ kind: 'finding', ...findings[0] });
    expect(lines.find(({ kind }) => kind === 'input')).toMatchObject({ inputKind: 'file', name: 'logs/cp1-audit.log' });
    expect(lines.find(({ kind }) => kind === 'not-found')).toMatchObject({ notFoundKind: 'wrong', count: 23 });
  });

  test('breaks no line and passes no control character on', async () => {
    const text = await renderNdjson(withStrings(analysis(), (part) => `${part}\r\n\u001b]0;x\u0007\u009b\u2028`));
    expect(text.split('\n')).toHaveLength(17);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Control}\u2028]/u);
  });
});

test('ndjsonStream can be left before its end', async () => {
  for await (const line of ndjsonStream(analysis())) {
    expect(String(line)).toContain('"kind":"analysis"');
    break;
  }
});
