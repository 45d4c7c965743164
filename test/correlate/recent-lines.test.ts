import { describe, expect, test } from '@jest/globals';
import { RecentLines } from '../../src/correlate/recent-lines.js';
import type { InputRef } from '../../src/model/origin.js';
import type { LogLine } from '../../src/model/record.js';
import { logLines, refOf, SEC, server, T0 } from './kit.js';

const [FILE, COPY] = [refOf('cp1.log'), refOf('copy/cp1.log', 1)];
const TOPIC: InputRef = { id: 2, name: 'logs/0', kind: 'kafka' };

function written(...texts: string[]): LogLine[] {
  const cp1 = server('cp1');
  for (const text of texts) cp1.says(T0, 'I', 'peer_x.go', text);
  return logLines(cp1.log);
}

/** The same line at another place or time. */
function moved(line: LogLine, to: Partial<LogLine>): LogLine {
  return { ...line, message: line.message, text: line.text, ...to };
}

const seen = (lines: RecentLines, all: readonly LogLine[], input: InputRef) =>
  all.map((line) => lines.seen(line, input));

test('a line that comes twice is known the second time, another one is not', () => {
  const lines = new RecentLines();
  const [a, b] = logLines(
    server('cp1')
      .says(T0, 'I', 'x.go', 'a')
      .says(T0 + SEC, 'I', 'x.go', 'a').log,
  );
  if (a === undefined || b === undefined) throw new Error('no lines');
  expect(seen(lines, [a, a, b, b], FILE)).toEqual([false, true, false, true]);
});

describe('lines that a server wrote several times in one microsecond', () => {
  const thrice = written('a', 'a', 'a', 'b');

  test('are several', () => {
    expect(seen(new RecentLines(), thrice, FILE)).toEqual([false, false, false, false]);
  });

  test('are as many in a file given twice, in whatever order the two are read', () => {
    const lines = new RecentLines();
    expect(seen(lines, thrice, FILE)).toEqual([false, false, false, false]);
    expect(seen(lines, thrice, COPY)).toEqual([true, true, true, true]);
    const byTurns = new RecentLines();
    const answers = thrice.flatMap((line) => [byTurns.seen(line, COPY), byTurns.seen(line, FILE)]);
    expect(answers).toEqual([false, true, false, true, false, true, false, true]);
  });

  test('are as many in a file appended to itself', () => {
    const lines = new RecentLines();
    const again = thrice.map((line) => moved(line, { line: line.line + thrice.length }));
    expect(seen(lines, [...thrice, ...again], FILE).filter((known) => !known)).toHaveLength(4);
  });

  test('are as many as the copy with the most has, where a rotated one ends among them', () => {
    const lines = new RecentLines();
    expect(seen(lines, thrice.slice(0, 2), FILE)).toEqual([false, false]);
    expect(seen(lines, thrice, COPY)).toEqual([true, true, false, false]);
  });

  test('are messages one behind the other; one that comes again, or later, is a copy', () => {
    const [first] = thrice;
    if (first === undefined) throw new Error('no line');
    const at = (offset: number) => moved(first, { line: 1, offset });
    expect(seen(new RecentLines(), [at(7), at(8), at(8), at(20), at(21)], TOPIC)).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
  });
});

test('it forgets, two generations later', () => {
  const lines = new RecentLines();
  const [line] = logLines(server('cp1').says(T0, 'I', 'x.go', 'a').log);
  if (line === undefined) throw new Error('no line');
  lines.seen(line, FILE);
  for (let at = 0; at < 50_000; at += 1) lines.seen(moved(line, { timeUs: T0 + at + 1 }), FILE);
  expect(lines.seen(line, FILE)).toBe(false);
});
