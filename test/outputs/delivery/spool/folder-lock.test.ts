import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
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
  ['a number that another process has now, as its start tells', `${process.ppid} ${hostname()} 1\n`, 0],
  ['garbage', 'garbage', 0],
])('%s does not keep it', async (_name, text, ageMs) => {
  lockOf(text, ageMs);
  await (await lockFolder(folder.path))();
});

test('a process that was killed and is not waited for yet does not keep it', async () => {
  // The child ends at once; its parent lives on and does not ask how.
  const script =
    "import('node:child_process').then(({ spawn }) => { const c = spawn('sleep', ['0']); console.log(c.pid); process.kill(process.pid, 'SIGSTOP'); })";
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    const state = () => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.[0];
    for (let tries = 0; tries < 200 && state() !== 'Z'; tries += 1) await new Promise((done) => setTimeout(done, 10));
    expect(state()).toBe('Z');
    lockOf(`${pid} ${hostname()}\n`);
    await (await lockFolder(folder.path))();
  } finally {
    parent.kill('SIGKILL');
  }
});
