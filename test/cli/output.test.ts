import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { openOutputFile, StreamOutput } from '../../src/cli/output.js';
import { makeFolder } from '../sources/folder.js';
import { BrokenStream } from './fakes.js';

test('waits for a slow reader: no more than one piece is under way', async () => {
  let most = 0;
  const slow = new Writable({
    decodeStrings: false,
    write(_chunk, _encoding, done) {
      most = Math.max(most, slow.writableLength);
      setImmediate(done);
    },
  });
  await new StreamOutput(slow).write('x'.repeat(1_000_000));
  expect(most).toBeLessThanOrEqual(64 * 1024);
});

test('tells once that the reader has gone away, and writes no more', async () => {
  let told = 0;
  const output = new StreamOutput(new BrokenStream('EPIPE'), () => told++);
  await output.write('x'.repeat(1_000_000));
  await output.write('more');
  expect([told, output.closed]).toEqual([1, true]);
});

test('characters of several bytes survive the cut into pieces', async () => {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  const text = `x${'é'.repeat(50_000)}`;
  await new StreamOutput(stream).write(text);
  expect(Buffer.concat(chunks).equals(Buffer.from(text))).toBe(true);
});

test('a file is there when it is finished and not before; discarding leaves nothing', async () => {
  const { path, drop } = makeFolder();
  const output = await openOutputFile(`${path}/result`);
  await output.write('a');
  expect(existsSync(`${path}/result`)).toBe(false);
  await output.write('b');
  await output.finish();
  expect(readFileSync(`${path}/result`, 'utf8')).toBe('ab');
  const abandoned = await openOutputFile(`${path}/other`);
  await abandoned.write('x');
  await abandoned.discard();
  expect(execFileSync('ls', ['-A', path], { encoding: 'utf8' })).toBe('result\n');
  drop();
});

test('a device is written directly', async () => {
  const output = await openOutputFile('/dev/null');
  await output.write('x');
  await output.finish();
  expect(existsSync('/dev/null')).toBe(true);
});
