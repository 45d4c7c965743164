import { expect, test } from '@jest/globals';
import { RecentLines } from '../../src/correlate/recent-lines.js';
import { logLines, SEC, server, T0 } from './kit.js';

test('a line that comes twice is known the second time, another one is not', () => {
  const lines = new RecentLines();
  const [a, b] = logLines(
    server('cp1')
      .says(T0, 'I', 'x.go', 'a')
      .says(T0 + SEC, 'I', 'x.go', 'a').log,
  );
  if (a === undefined || b === undefined) throw new Error('no lines');
  expect([a, a, b, b].map((line) => lines.seen(line))).toEqual([false, true, false, true]);
});

test('it forgets, two generations later', () => {
  const lines = new RecentLines();
  const [line] = logLines(server('cp1').says(T0, 'I', 'x.go', 'a').log);
  if (line === undefined) throw new Error('no line');
  lines.seen(line);
  for (let at = 0; at < 50_000; at += 1) lines.seen({ ...line, timeUs: T0 + at + 1 });
  expect(lines.seen(line)).toBe(false);
});
