import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readBounded, resolveText } from '../../../src/outputs/delivery/secrets.js';
import { makeFolder } from '../../sources/folder.js';

let folder: ReturnType<typeof makeFolder>;
beforeEach(() => {
  folder = makeFolder({ key: 's3cret\n', crlf: 'line\r\n', empty: '\n', large: 'x'.repeat(100_000) });
});
afterEach(() => folder.drop());

function resolve(text: string): string {
  return resolveText(text, { env: { KEY: 'from env', EMPTY: '' }, folder: folder.path });
}

test('text is itself, references lead to their values', () => {
  expect(resolve('http://host')).toBe('http://host');
  expect(resolve('fromEnv:KEY')).toBe('from env');
  expect(resolve('fromFile:key')).toBe('s3cret');
  expect(resolve(`fromFile:${folder.path}/crlf`)).toBe('line');
});

test.each([
  ['fromEnv:NONE', 'the environment variable NONE is not set; it is named by fromEnv:NONE'],
  ['fromEnv:EMPTY', 'the environment variable EMPTY is empty; it is named by fromEnv:EMPTY'],
  ['fromFile:none', 'none: no such file or folder; check the spelling'],
  ['fromFile:empty', 'empty: empty; it is named by fromFile:empty'],
  ['fromFile:large', 'large: larger than 64 KiB; is this the right file?'],
])('%s is told without any value', (text, message) => {
  expect(() => resolve(text)).toThrow(message);
});

test('readBounded gives the text as it is', () => {
  expect(readBounded(`${folder.path}/key`)).toBe('s3cret\n');
});
