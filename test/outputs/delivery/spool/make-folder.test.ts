import { existsSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { makeFolder as makeSpoolFolder } from '../../../../src/outputs/delivery/spool/make-folder.js';
import { makeFolder } from '../../../sources/folder.js';

let folder: ReturnType<typeof makeFolder>;
beforeEach(() => {
  folder = makeFolder({ file: '' });
});
afterEach(() => folder.drop());

describe('a folder of the spool', () => {
  test('is made with those above it, for its owner only, and left alone when it is there', async () => {
    const path = `${folder.path}/a/b/c`;
    await makeSpoolFolder(path);
    await makeSpoolFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(`${folder.path}/a`).mode & 0o777).toBe(0o700);
  });

  test('may be made by two at once', async () => {
    const path = `${folder.path}/a/b`;
    await Promise.all([makeSpoolFolder(path), makeSpoolFolder(path)]);
    expect(existsSync(path)).toBe(true);
  });

  test.each([
    ['is a file', 'file', 'EEXIST'],
    ['lies below a file', 'file/a/b', 'ENOTDIR'],
  ])('that %s is an error', async (_, path, code) => {
    await expect(makeSpoolFolder(`${folder.path}/${path}`)).rejects.toMatchObject({ code });
  });

  test('that the system lets nobody make is an error, at once', async () => {
    await expect(makeSpoolFolder('/proc/nope/otlp')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
