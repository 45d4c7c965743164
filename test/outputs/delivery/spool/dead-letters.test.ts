import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import {
  type DeadLetter,
  type RecalledLetter,
  recallDeadLetters,
  writeDeadLetter,
} from '../../../../src/outputs/delivery/spool/dead-letters.js';
import { makeFolder } from '../../../sources/folder.js';
import { notice } from '../../alerts/examples.js';

const letter: DeadLetter = {
  time: '2026-01-05T12:00:00.000Z',
  output: 'a',
  reason: 'no',
  payload: '{}',
  notice: notice(),
};

test('one line each, for the owner only; a file that has grown too large is told', async () => {
  const { path, drop } = makeFolder();
  const file = await writeDeadLetter(path, letter);
  await writeDeadLetter(path, letter);
  await writeDeadLetter(path, letter);
  expect(
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([letter, letter, letter]);
  expect(statSync(file).mode & 0o077).toBe(0);
  truncateSync(file, 65 * 2 ** 20);
  await expect(writeDeadLetter(path, letter)).rejects.toThrow(/refused\.ndjson has grown to 64 MiB; send it again/);
  drop();
});

describe('recalled', () => {
  const read = async (path: string, use: (letter: RecalledLetter) => void) =>
    recallDeadLetters(path, async (letters) => {
      for await (const one of letters) use(one);
    });

  test('all come back, in order, and the file is gone', async () => {
    const { path, drop } = makeFolder();
    await writeDeadLetter(path, letter);
    await writeDeadLetter(path, { ...letter, reason: 'other' });
    const seen: unknown[] = [];
    expect(await read(path, ({ entry }) => seen.push(entry))).toEqual({ kept: 0 });
    expect(seen).toEqual([letter, { ...letter, reason: 'other' }]);
    expect(readdirSync(path)).toEqual([]);
    expect(await read(path, () => seen.push('more'))).toEqual({ kept: 0 });
    expect(seen).toHaveLength(2);
    drop();
  });

  test('those that are kept, and those that come meanwhile, stay', async () => {
    const { path, drop } = makeFolder({ 'refused.ndjson': 'damaged\n' });
    await writeDeadLetter(path, letter);
    const found = await recallDeadLetters(path, async (letters) => {
      for await (const { entry, keep } of letters) if (entry === undefined) keep();
      await writeDeadLetter(path, { ...letter, reason: 'new' });
    });
    expect(found).toEqual({ kept: 1 });
    const lines = readFileSync(`${path}/refused.ndjson`, 'utf8').trim().split('\n');
    expect([JSON.parse(lines[0] ?? '').reason, lines[1], lines.length]).toEqual(['new', 'damaged', 2]);
    drop();
  });

  test('what cannot be read is set aside with its line; all else in the file is there, its unended last line too', async () => {
    const line = JSON.stringify(letter);
    const { path, drop } = makeFolder({
      'refused.ndjson': `${line}\n{"half\n\n${'x'.repeat(17 * 2 ** 20)}\n${line}\n${line}`,
    });
    const seen: unknown[] = [];
    const setAside = async () =>
      read(path, ({ entry, setAside }) => (entry === undefined ? setAside() : seen.push(entry)));
    const where = `${path}/unreadable.ndjson`;
    expect(await setAside()).toEqual({ kept: 0, unreadable: { count: 2, lines: [2, 4], where } });
    expect(seen).toEqual([letter, letter, letter]);
    expect(
      readFileSync(where, 'utf8')
        .split('\n')
        .map(({ length }) => length),
    ).toEqual([6, 17 * 2 ** 20, 0]);
    expect(statSync(where).mode & 0o077).toBe(0);
    expect(await setAside()).toEqual({ kept: 0 });
    expect(readdirSync(path)).toEqual(['unreadable.ndjson']);
    drop();
  });

  test('half a line that a killed process has left costs nothing of what comes after it', async () => {
    const { path, drop } = makeFolder({ 'refused.ndjson': '{"time":"2026' });
    await writeDeadLetter(path, letter);
    const seen: unknown[] = [];
    await read(path, ({ entry }) => seen.push(entry));
    expect(seen).toEqual([undefined, letter]);
    drop();
  });

  test('an attempt that fails loses none of them: the next one has them again', async () => {
    const { path, drop } = makeFolder();
    await writeDeadLetter(path, letter);
    await expect(recallDeadLetters(path, () => Promise.reject(new Error('full')))).rejects.toThrow('full');
    await writeDeadLetter(path, { ...letter, reason: 'later' });
    const seen: unknown[] = [];
    await read(path, ({ entry }) => seen.push(entry?.reason));
    await read(path, ({ entry }) => seen.push(entry?.reason));
    expect(seen).toEqual(['no', 'later']);
    drop();
  });
});
