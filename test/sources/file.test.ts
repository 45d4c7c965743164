import { statSync, truncateSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { fileSource } from '../../src/sources/file.js';
import { makeFolder } from './folder.js';

test('reads in large chunks that the reader may keep', async () => {
  const { path, drop } = makeFolder({ big: '' });
  truncateSync(`${path}/big`, 5_000_000);
  const chunks: Buffer[] = [];
  for await (const chunk of fileSource(`${path}/big`, statSync(`${path}/big`)).open()) chunks.push(chunk);
  expect(chunks.map(({ length }) => length)).toEqual([1_048_576, 1_048_576, 1_048_576, 1_048_576, 805_696]);
  expect(new Set(chunks.map(({ buffer }) => buffer)).size).toBe(5);
  drop();
});
