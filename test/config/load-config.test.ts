import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/load-config.js';
import { makeFolder } from '../sources/folder.js';

test('reads the file; folders in it are relative to it', async () => {
  const { path, drop } = makeFolder({ 'skew.yaml': 'rules: {dirs: [mine]}' });
  expect((await loadConfig(`${path}/skew.yaml`)).rules.dirs).toEqual([`${path}/mine`]);
  drop();
});

test('a file that cannot be read is told with what to do', async () => {
  await expect(loadConfig('no/such.yaml')).rejects.toThrow('no/such.yaml: no such file or folder; check the spelling');
});
