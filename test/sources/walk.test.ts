import { symlinkSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { walkFiles } from '../../src/sources/walk.js';
import { makeFolder } from './folder.js';

async function pathsIn(root: string, options: Parameters<typeof walkFiles>[1]): Promise<string[]> {
  const paths: string[] = [];
  for await (const entry of walkFiles(root, options)) paths.push(entry.path.replace(`${root}/`, ''));
  return paths;
}

test('folders come before what they hold, names in order', async () => {
  const { path, drop } = makeFolder({ 'b/2': '', 'b/1': '', 'a/x/y': '', c: '' });
  expect(await pathsIn(path, { hidden: false })).toEqual(['a', 'b', 'c', 'a/x', 'a/x/y', 'b/1', 'b/2']);
  drop();
});

test('enters only the folders that are wanted, and each once', async () => {
  const { path, drop } = makeFolder({ 'a/1': '', 'b/2': '' });
  symlinkSync('..', `${path}/a/up`);
  expect(await pathsIn(path, { hidden: false, descend: (folder) => !folder.endsWith('/b') })).toEqual([
    'a',
    'b',
    'a/1',
    'a/up',
  ]);
  drop();
});

test('a folder that is not there is told', async () => {
  const entries = [];
  for await (const entry of walkFiles('no/such', { hidden: false })) entries.push(entry);
  expect(entries).toEqual([
    {
      path: 'no/such',
      message: 'no/such: no such file or folder; check the spelling, and the folder this was started in',
      failed: true,
    },
  ]);
});
