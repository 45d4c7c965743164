/** A file's bytes into the reader's memory: all of them in order, and failures in words. */
import { appendFileSync } from 'node:fs';
import { afterEach, expect, test } from '@jest/globals';
import { FileBytes } from '../../src/sources/file-bytes.js';
import { SourceError } from '../../src/sources/source.js';
import { makeFolder } from './folder.js';

let drop = () => {};
afterEach(() => drop());

function open(content: string): { bytes: FileBytes; path: string } {
  const folder = makeFolder({ 'audit.log': content });
  drop = folder.drop;
  return { bytes: new FileBytes(`${folder.path}/audit.log`), path: `${folder.path}/audit.log` };
}

test('gives the bytes in pieces as large as the memory, and 0 at the end', () => {
  const { bytes } = open('one two three');
  const memory = Buffer.alloc(5);
  const pieces: string[] = [];
  for (let count = bytes.read(memory); count > 0; count = bytes.read(memory))
    pieces.push(memory.toString('utf8', 0, count));
  expect(pieces).toEqual(['one t', 'wo th', 'ree']);
  expect(bytes.read(memory)).toBe(0);
  bytes.close();
});

test('what was only looked at is read again, and what was added meanwhile too', () => {
  const { bytes, path } = open('ab');
  const memory = Buffer.alloc(8);
  expect([bytes.peek(memory), bytes.read(memory), bytes.peek(memory)]).toEqual([2, 2, 0]);
  appendFileSync(path, 'cd');
  expect(bytes.read(memory)).toBe(2);
  expect(memory.toString('utf8', 0, 2)).toBe('cd');
  bytes.close();
});

test('tells what failed where', () => {
  const { bytes, path } = open('');
  bytes.close();
  expect(() => new FileBytes(`${path}.1`)).toThrow(SourceError);
  expect(() => new FileBytes(`${path}.1`)).toThrow(`${path}.1: no such file or folder`);
  const folder = new FileBytes(path.slice(0, path.lastIndexOf('/')));
  expect(() => folder.read(Buffer.alloc(1))).toThrow('EISDIR');
  folder.close();
});
