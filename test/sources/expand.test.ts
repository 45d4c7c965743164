import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { afterEach, describe, expect, test } from '@jest/globals';
import { expandPaths } from '../../src/sources/expand.js';
import { makeFolder, readAll } from './folder.js';

let drop = () => {};
afterEach(() => drop());

function folderOf(files: Record<string, string | Buffer>): string {
  const made = makeFolder(files);
  drop = made.drop;
  return made.path;
}

async function namesOf(paths: string[], root: string): Promise<string[]> {
  const { sources, problems } = await expandPaths(paths);
  expect(problems).toEqual([]);
  return sources.map((source) => source.input.name.replace(`${root}/`, ''));
}

describe('expandPaths', () => {
  test('reads folders to the bottom, sorted by stream, and leaves hidden files with a reason', async () => {
    const root = folderOf({
      'b/cp2-audit.log': '2',
      'b/.cache/x.log': 'x',
      'a/cp1-audit.log': 'live',
      'a/cp1-audit.log.1': 'new',
      'a/cp1-audit.log.2.gz': 'old',
      '.hidden': 'h',
    });
    const { sources, problems, skipped } = await expandPaths([root]);
    expect(problems).toEqual([]);
    expect(sources.map((s) => s.input.name)).toEqual(
      ['a/cp1-audit.log.2.gz', 'a/cp1-audit.log.1', 'a/cp1-audit.log', 'b/cp2-audit.log'].map((n) => `${root}/${n}`),
    );
    expect(skipped.map((s) => s.message)).toEqual([`${root}/.hidden: hidden`, `${root}/b/.cache: hidden`]);
  });

  test('a source knows its size and the year of its file, and opens again and again', async () => {
    const root = folderOf({ 'audit.log': 'hello\n' });
    const { sources } = await expandPaths([`${root}/audit.log`]);
    const [source] = sources;
    expect(source).toMatchObject({ bytes: 6, live: false, input: { kind: 'file', name: `${root}/audit.log` } });
    expect(source?.input.yearHintUs).toBeGreaterThan(Date.now() * 1000 - 60e6);
    if (source === undefined) throw new Error('no source');
    expect(await readAll(source.open())).toBe('hello\n');
    expect(await readAll(source.open())).toBe('hello\n');
  });

  test('the order of arguments does not matter, and a file given twice or by two names is read once', async () => {
    const root = folderOf({ 'a.log': 'a', 'b.log': 'b' });
    symlinkSync(`${root}/a.log`, `${root}/z.log`);
    expect(await namesOf([`${root}/b.log`, `${root}/a.log`, root, `${root}/z.log`], root)).toEqual(['a.log', 'b.log']);
    expect(await namesOf([`${root}/z.log`, root, `${root}/a.log`], root)).toEqual(['a.log', 'b.log']);
    const { skipped } = await expandPaths([root]);
    expect(skipped.map((s) => s.message)).toEqual([`${root}/z.log: the same file as ${root}/a.log`]);
  });

  test('loops of symbolic links end', async () => {
    const root = folderOf({ 'a/x.log': 'x' });
    symlinkSync(root, `${root}/a/loop`);
    symlinkSync(`${root}/self`, `${root}/self`);
    const { sources, problems } = await expandPaths([root]);
    expect(sources.map((s) => s.input.name)).toEqual([`${root}/a/x.log`]);
    expect(problems.map((p) => p.message)).toEqual([`${root}/self: a loop of symbolic links; give the file itself`]);
  });

  test('globs find files and folders', async () => {
    const root = folderOf({ 'cp1/audit.log': '1', 'cp2/audit.log': '2', 'cp3/audit.log': '3', 'cp3/.x.log': 'x' });
    expect(await namesOf([`${root}/cp[12]/*.log`], root)).toEqual(['cp1/audit.log', 'cp2/audit.log']);
    expect(await namesOf([`${root}/**/*.log`], root)).toEqual(['cp1/audit.log', 'cp2/audit.log', 'cp3/audit.log']);
    expect(await namesOf([`${root}/{cp1,cp3}`], root)).toEqual(['cp1/audit.log', 'cp3/audit.log']);
    expect(await namesOf([`${root}/cp3/.*`], root)).toEqual(['cp3/.x.log']);
  });

  test('a file whose name is a pattern is itself', async () => {
    const root = folderOf({ 'audit[1].log': 'x', 'audit1.log': 'y' });
    expect(await namesOf([`${root}/audit[1].log`], root)).toEqual(['audit[1].log']);
  });

  test('what cannot be read is a problem beside the rest, and says what to do', async () => {
    const root = folderOf({ 'a.log': 'a', 'b.zip': 'PK\x03\x04....', 'empty/.keep': '' });
    const { sources, problems } = await expandPaths([
      `${root}/a.log`,
      `${root}/missing.log`,
      `${root}/*.nope`,
      `${root}/b.zip`,
      `${root}/empty`,
      `${root}/a.log/x`,
    ]);
    expect(sources.map((s) => s.input.name)).toEqual([`${root}/a.log`]);
    expect(problems.map((p) => p.message.replaceAll(root, 'ROOT'))).toEqual([
      'ROOT/missing.log: no such file or folder; check the spelling, and the folder this was started in',
      'ROOT/*.nope: no file matches; quote the pattern, and check the folder this was started in',
      'ROOT/empty: the folder holds no files to read',
      'ROOT/a.log/x: a part of the path is a file and not a folder; check the spelling',
      'ROOT/b.zip: a ZIP archive; unpack it and give the folder',
    ]);
  });

  test('in folders, files that are no logs and no regular files are left with a reason', async () => {
    const root = folderOf({ 'a.log': 'a', 'p.png': Buffer.from('89504e470d0a1a0a', 'hex'), 'zero.log': '' });
    execFileSync('mkfifo', [`${root}/pipe`]);
    symlinkSync(`${root}/gone`, `${root}/dangling`);
    const { sources, skipped, problems } = await expandPaths([root]);
    expect(problems).toEqual([]);
    expect(sources.map((s) => s.input.name)).toEqual([`${root}/a.log`, `${root}/zero.log`]);
    expect(skipped.map((s) => s.message.replace(root, 'ROOT'))).toEqual([
      'ROOT/dangling: vanished, or a link to nothing',
      'ROOT/pipe: not a regular file',
      'ROOT/p.png: a PNG picture; not a log',
    ]);
  });

  test('a named pipe given by name is read', async () => {
    const root = folderOf({});
    execFileSync('mkfifo', [`${root}/pipe`]);
    const { sources } = await expandPaths([`${root}/pipe`]);
    expect(sources[0]?.bytes).toBeNull();
    const writer = execFileAsync(`printf hello > ${root}/pipe`);
    const [source] = sources;
    if (source === undefined) throw new Error('no source');
    expect(await readAll(source.open())).toBe('hello');
    await writer;
  });

  test('- is standard input, once', async () => {
    const { sources } = await expandPaths(['-', '-']);
    expect(sources.map((s) => [s.input.name, s.input.kind])).toEqual([['-', 'stdin']]);
  });

  test('following takes live files, reads finished parts as they are, and waits for files to come', async () => {
    const root = folderOf({ 'audit.log': 'a', 'audit.log.1': 'b', 'audit.log.2.gz': 'c' });
    const { sources } = await expandPaths([root, `${root}/later.log`], { follow: {} });
    expect(sources.map((s) => [s.input.name.replace(`${root}/`, ''), s.live])).toEqual([
      ['audit.log.2.gz', false],
      ['audit.log.1', false],
      ['audit.log', true],
      ['later.log', true],
    ]);
  });
});

async function execFileAsync(script: string): Promise<void> {
  const { execFile } = await import('node:child_process');
  await new Promise<void>((resolve, reject) => {
    execFile('sh', ['-c', script], (error) => (error ? reject(error) : resolve()));
  });
}
