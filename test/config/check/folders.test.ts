import { existsSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { folderMistakes } from '../../../src/config/check/folders.js';
import { parseConfig } from '../../../src/config/parse-config.js';
import { makeFolder } from '../../sources/folder.js';

test('folders that this user may not write: of one that is to be made, the one it would be made in', async () => {
  const { path, drop } = makeFolder();
  const asked: string[] = [];
  const mayWrite = async (folder: string) => {
    asked.push(folder);
    throw Object.assign(new Error('no'), { code: 'EACCES' });
  };
  const config = parseConfig('outputs: {spool: {dir: a/b}, ndjson: [{path: x}]}', `${path}/skew.yaml`);
  const message = `needs the folder ${path}, which this user may not write (EACCES)`;
  expect(await folderMistakes(config, mayWrite)).toEqual([
    { level: 'mistake', path: ['outputs', 'spool', 'dir'], message },
    { level: 'mistake', path: ['outputs', 'ndjson', 0, 'path'], message },
  ]);
  expect(asked).toEqual([path, path]);
  drop();
});

// Elsewhere the kernel shows itself otherwise.
(existsSync('/proc/self') ? describe : describe.skip)('with /proc', () => {
  test('nothing can be made there, whatever access says of root', async () => {
    const config = parseConfig('outputs: {spool: {dir: /proc/a/b}}', '/x/skew.yaml');
    const message = 'lies in /proc, where nothing can be made';
    expect(await folderMistakes(config, async () => {})).toEqual([
      { level: 'mistake', path: ['outputs', 'spool', 'dir'], message },
    ]);
  });
});
