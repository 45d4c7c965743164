import { readFileSync, statSync, truncateSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import {
  type DeadLetter,
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
