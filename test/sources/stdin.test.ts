import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { SourceError } from '../../src/sources/source.js';
import { stdinSource } from '../../src/sources/stdin.js';
import { readAll } from './folder.js';

test('gives the bytes of the stream', async () => {
  const source = stdinSource({ stream: Readable.from([Buffer.from('a'), Buffer.from('b\n')]), live: true });
  expect(source).toMatchObject({ input: { name: '-', kind: 'stdin' }, bytes: null, live: true });
  expect(await readAll(source.open())).toBe('ab\n');
});

test('a writer that breaks off ends the input; any other failure is told', async () => {
  const broken = (code: string) =>
    new Readable({
      read() {
        this.destroy(Object.assign(new Error('boom'), { code }));
      },
    });
  expect(await readAll(stdinSource({ stream: broken('ECONNRESET') }).open())).toBe('');
  await expect(readAll(stdinSource({ stream: broken('EIO') }).open())).rejects.toThrow(SourceError);
});
