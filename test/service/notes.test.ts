import { expect, test } from '@jest/globals';
import { Notes } from '../../src/service/notes.js';

test('notes are the latest, bounded in number and length; what is said again moves on in time', () => {
  const notes = new Notes();
  notes.add(1, 'one');
  notes.add(2, 'two');
  notes.add(3, 'two');
  expect(notes.list).toEqual([
    { atMs: 1, message: 'one' },
    { atMs: 3, message: 'two' },
  ]);
  for (let at = 0; at < 500; at += 1) notes.add(at, `note ${at} ${'x'.repeat(2_000)}`);
  expect(notes.list).toHaveLength(100);
  expect(notes.list.at(-1)?.message).toMatch(/^note 499 /);
  expect(Math.max(...notes.list.map(({ message }) => message.length))).toBe(500);
});
