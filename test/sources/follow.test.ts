import { once } from 'node:events';
import { appendFileSync, existsSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type FollowOptions, followSource } from '../../src/sources/follow.js';
import { PATIENCE_MS } from '../until.js';
import { makeFolder } from './folder.js';

let folder: ReturnType<typeof makeFolder>;
let path: string;
let stop: AbortController;

beforeEach(() => {
  folder = makeFolder();
  path = `${folder.path}/audit.log`;
  stop = new AbortController();
});
afterEach(() => {
  stop.abort();
  folder.drop();
});

/** Follows the file and waits for what it gives. */
class Reader {
  text = '';
  readonly done: Promise<void>;

  constructor(options: FollowOptions = {}) {
    this.done = this.#run(options);
  }

  async #run(options: FollowOptions) {
    const source = followSource(path, { pollMs: 5, signal: stop.signal, ...options });
    for await (const chunk of source.open()) this.text += chunk.toString('utf8');
  }

  async until(expected: string): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (this.text !== expected) {
      if (Date.now() > deadline) expect(this.text).toBe(expected);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

test('gives what is there and what is added', async () => {
  writeFileSync(path, '1\n');
  const reader = new Reader();
  await reader.until('1\n');
  appendFileSync(path, '2\n');
  await reader.until('1\n2\n');
});

test('can start at the end', async () => {
  writeFileSync(path, 'old\n');
  const reader = new Reader({ fromEnd: true });
  await new Promise((resolve) => setTimeout(resolve, 60));
  appendFileSync(path, 'new\n');
  await reader.until('new\n');
});

test('waits for a file that does not exist yet', async () => {
  const reader = new Reader();
  await new Promise((resolve) => setTimeout(resolve, 30));
  writeFileSync(path, '1\n');
  await reader.until('1\n');
});

test('finishes a rotated file before the new one', async () => {
  writeFileSync(path, '1\n');
  const reader = new Reader();
  await reader.until('1\n');
  renameSync(path, `${path}.1`);
  // The writer still holds the old file for a while, and the new one is still empty.
  writeFileSync(path, '');
  appendFileSync(`${path}.1`, '2\n');
  await reader.until('1\n2\n');
  appendFileSync(path, '3\n');
  await reader.until('1\n2\n3\n');
});

test('misses no part when the file rotates more than once between two looks', async () => {
  writeFileSync(path, '1\n');
  const reader = new Reader({ pollMs: 80 });
  await reader.until('1\n');
  renameSync(path, `${folder.path}/audit-2026-01-01T00-00-00.000.log`);
  writeFileSync(path, '2\n');
  renameSync(path, `${folder.path}/audit-2026-01-01T00-00-01.000.log`);
  writeFileSync(path, '3\n');
  renameSync(path, `${folder.path}/audit-2026-01-01T00-00-02.000.log`);
  writeFileSync(path, '4\n');
  await reader.until('1\n2\n3\n4\n');
});

test('numbered parts move while they are read', async () => {
  writeFileSync(path, '1\n');
  const reader = new Reader({ pollMs: 20 });
  await reader.until('1\n');
  for (let file = 2; file <= 9; file++) {
    for (let number = 8; number >= 1; number--) {
      if (existsSync(`${path}.${number}`)) renameSync(`${path}.${number}`, `${path}.${number + 1}`);
    }
    renameSync(path, `${path}.1`);
    writeFileSync(path, `${file}\n`);
    if (file % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 15));
  }
  await reader.until('1\n2\n3\n4\n5\n6\n7\n8\n9\n');
});

test('misses no part that is renamed while the folder is looked through', async () => {
  writeFileSync(path, '1\n');
  const reader = new Reader({ pollMs: 1 });
  await reader.until('1\n');
  const rotating = new Worker(ROTATE_ALL_THE_TIME, { eval: true, workerData: { path, last: FILES } });
  await once(rotating, 'exit');
  await reader.until(Array.from({ length: FILES }, (_, i) => `${i + 1}\n`).join(''));
});

const FILES = 60;
/** All parts are kept, each numbered one higher with each rotation; in a thread of its own, so that it rotates while the reader looks. */
const ROTATE_ALL_THE_TIME = `
  const { renameSync, writeFileSync } = require('node:fs');
  const { path, last } = require('node:worker_threads').workerData;
  const rest = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  for (let file = 2; file <= last; file++) {
    for (let number = file - 2; number >= 1; number--) renameSync(path + '.' + number, path + '.' + (number + 1));
    renameSync(path, path + '.1');
    writeFileSync(path, file + '\\n');
    rest(file % 8 === 0 ? 10 : 1);
  }
`;

test('keeps a line that rotation cut from joining the next file', async () => {
  writeFileSync(path, 'cut');
  const reader = new Reader();
  await reader.until('cut');
  rmSync(path);
  writeFileSync(path, 'new\n');
  await reader.until('cut\nnew\n');
});

test('starts over when the file was truncated', async () => {
  writeFileSync(path, 'one\ntwo\n');
  const reader = new Reader();
  await reader.until('one\ntwo\n');
  truncateSync(path);
  appendFileSync(path, '3\n');
  await reader.until('one\ntwo\n3\n');
});

test('notices a truncation that was outgrown between two looks', async () => {
  writeFileSync(path, 'one\n');
  const reader = new Reader({ pollMs: 50 });
  await reader.until('one\n');
  writeFileSync(path, 'first\nsecond\nthird\n');
  await reader.until('one\nfirst\nsecond\nthird\n');
});

test('tells once that it cannot read, and goes on when it can', async () => {
  const problems: string[] = [];
  const blocked = makeFolder({ file: 'x' });
  path = `${blocked.path}/file/audit.log`;
  const reader = new Reader({ onProblem: (message) => problems.push(message) });
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(problems).toEqual([`${path}: a part of the path is a file and not a folder; check the spelling`]);
  rmSync(`${blocked.path}/file`);
  const { mkdirSync } = await import('node:fs');
  mkdirSync(`${blocked.path}/file`);
  writeFileSync(path, 'back\n');
  await reader.until('back\n');
  blocked.drop();
});

test('ends when it is told to', async () => {
  writeFileSync(path, '1\n');
  const reader = new Reader({ pollMs: 60_000 });
  await reader.until('1\n');
  stop.abort();
  await reader.done;
  expect(reader.text).toBe('1\n');
});

test('whatever the writer does and whenever it is looked at, every byte comes once and in order', async () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('line\n', 'another line\n', 'half') },
    { weight: 2, arbitrary: fc.constant('rotate') },
    { weight: 2, arbitrary: fc.constant('wait') },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      folder.drop();
      folder = makeFolder();
      path = `${folder.path}/audit.log`;
      stop = new AbortController();
      const writer = new RotatingWriter();
      writer.append('start\n');
      const reader = new Reader({ pollMs: 1 });
      await reader.until(writer.expected);
      for (const what of steps) {
        if (what === 'wait') await new Promise((resolve) => setTimeout(resolve, 4));
        else if (what === 'rotate') writer.rotate();
        else writer.append(what);
      }
      writer.append('end\n');
      await reader.until(writer.expected);
      stop.abort();
      await reader.done;
    }),
    { numRuns: 40 },
  );
});

/** Writes as an apiserver does: rename to the time of rotation, then a new file. */
class RotatingWriter {
  expected = '';
  #rotations = 0;
  #written = '';

  append(text: string): void {
    appendFileSync(path, text);
    this.#written += text;
    this.expected += text;
  }

  rotate(): void {
    if (this.#written === '') return;
    const time = new Date(Date.UTC(2026, 0, 1) + this.#rotations++ * 1000).toISOString();
    renameSync(path, `${folder.path}/audit-${time.slice(0, -1).replaceAll(':', '-')}.log`);
    if (!this.#written.endsWith('\n')) this.expected += '\n';
    this.#written = '';
  }
}
