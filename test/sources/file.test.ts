import { appendFileSync, statSync, truncateSync } from 'node:fs';
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

test('takes no large chunk for a small file, and all of one that has grown', async () => {
  const { path, drop } = makeFolder({ small: 'one line\n' });
  const source = fileSource(`${path}/small`, statSync(`${path}/small`));
  const allocated = process.memoryUsage().arrayBuffers;
  const kept: Buffer[] = [];
  for (let at = 0; at < 50; at++) for await (const chunk of source.open()) kept.push(chunk);
  expect(kept.map(String)).toEqual(Array.from({ length: 50 }, () => 'one line\n'));
  expect(process.memoryUsage().arrayBuffers - allocated).toBeLessThan(20 << 20);
  appendFileSync(`${path}/small`, 'x'.repeat(10_000));
  let length = 0;
  for await (const chunk of source.open()) length += chunk.length;
  expect(length).toBe(10_009);
  drop();
});
