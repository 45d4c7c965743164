import { rmSync } from 'node:fs';
import { afterEach, expect, test } from '@jest/globals';
import { expandPaths } from '../../src/sources/expand.js';
import { explainSystemError, readSource, type Source, SourceError } from '../../src/sources/source.js';
import { makeFolder, readAll } from './folder.js';

let drop = () => {};
afterEach(() => drop());

function brokenAfter(chunks: string[], error: Error): Source {
  return {
    input: { name: 'disk.log', kind: 'file' },
    bytes: null,
    live: false,
    async *open() {
      for (const chunk of chunks) yield Buffer.from(chunk);
      throw error;
    },
  };
}

test('a failure midway is a problem of that input; what was read stays', async () => {
  const problems: string[] = [];
  const broken = brokenAfter(['one', 'two'], new SourceError('disk.log', 'disk.log: the disk failed'));
  const source = { ...broken, onFailure: ({ message }: Error) => void problems.push(message) };
  expect(await readAll(readSource(source, (reason) => problems.push(reason)))).toBe('onetwo');
  expect(problems.sort()).toEqual(['disk.log: the disk failed', 'unreadable']);
});

test('a mistake of the program is not taken for a failure to read', async () => {
  const reading = readAll(readSource(brokenAfter([], new TypeError('bug')), () => {}));
  await expect(reading).rejects.toThrow('bug');
});

test('a file that vanished before it was opened fails as a SourceError', async () => {
  const folder = makeFolder({ 'a.log': 'a' });
  drop = folder.drop;
  const { sources } = await expandPaths([`${folder.path}/a.log`]);
  rmSync(`${folder.path}/a.log`);
  const [source] = sources;
  if (source === undefined) throw new Error('no source');
  await expect(readAll(source.open())).rejects.toThrow(SourceError);
});

test('system errors are told in words with what to do', () => {
  expect(explainSystemError('a.log', Object.assign(new Error('x'), { code: 'EACCES' }))).toMatch(
    /^a\.log: permission denied; read it as/,
  );
  expect(explainSystemError('a.log', Object.assign(new Error('odd failure'), { code: 'EODD' }))).toBe(
    'a.log: odd failure',
  );
});
