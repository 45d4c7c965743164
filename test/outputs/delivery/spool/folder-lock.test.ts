import { spawnSync } from 'node:child_process';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { lockFolder } from '../../../../src/outputs/delivery/spool/folder-lock.js';
import { makeFolder } from '../../../sources/folder.js';

let folder: ReturnType<typeof makeFolder>;
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => folder.drop());

function lockOf(text: string, ageMs = 0): void {
  writeFileSync(`${folder.path}/lock`, text);
  const at = new Date(Date.now() - ageMs);
  utimesSync(`${folder.path}/lock`, at, at);
}

test('one at a time', async () => {
  const unlock = await lockFolder(folder.path);
  await expect(lockFolder(folder.path)).rejects.toThrow('is in use by this very process');
  await unlock();
  expect(existsSync(`${folder.path}/lock`)).toBe(false);
  await (await lockFolder(folder.path))();
});

test('another process that lives keeps it', async () => {
  lockOf(`${process.ppid} ${hostname()}\n`);
  await expect(lockFolder(folder.path)).rejects.toThrow(
    `is in use by process ${process.ppid}; end it, or give another`,
  );
});

test('another machine keeps it while it touches it', async () => {
  lockOf('1 elsewhere\n');
  await expect(lockFolder(folder.path)).rejects.toThrow('is in use by process 1 on elsewhere');
  lockOf('1 elsewhere\n', 120_000);
  await (await lockFolder(folder.path))();
});

test.each([
  ['a process that ended', `${spawnSync('true').pid} ${hostname()}\n`, 0],
  ['this process number in a restarted container', `${process.pid} ${hostname()}\n`, 0],
  ['a number that went to another process', `${process.ppid} ${hostname()}\n`, 120_000],
  ['garbage', 'garbage', 0],
])('%s does not keep it', async (_name, text, ageMs) => {
  lockOf(text, ageMs);
  await (await lockFolder(folder.path))();
});
