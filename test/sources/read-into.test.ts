/** Files that are read into memory of the reader's. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { assignSources, fileSource, readSource } from '../../src/sources/index.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skewscope-into-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('open(into)', () => {
  test('fills the memory that is offered, chunk by chunk, to the end', async () => {
    const path = join(folder, 'audit.log');
    writeFileSync(path, 'abcdefghij');
    const memory = Buffer.from(new SharedArrayBuffer(4));
    const { sources } = assignSources([fileSource(path, statSync(path))], []);
    const chunks: string[] = [];
    for (const source of sources) {
      for await (const chunk of readSource(
        source,
        () => {},
        () => memory,
      )) {
        expect(chunk.buffer).toBe(memory.buffer);
        chunks.push(chunk.toString());
      }
    }
    expect(chunks).toEqual(['abcd', 'efgh', 'ij']);
  });

  test('tells a file that is gone as any other reading does', async () => {
    const path = join(folder, 'gone.log');
    writeFileSync(path, 'x');
    const source = fileSource(path, statSync(path));
    rmSync(path);
    const problems: string[] = [];
    for await (const _ of readSource(
      source,
      (reason, detail) => problems.push(`${reason} ${detail}`),
      () => Buffer.alloc(4),
    ));
    expect(problems).toEqual([
      `unreadable ${path}: no such file or folder; check the spelling, and the folder this was started in`,
    ]);
  });
});
