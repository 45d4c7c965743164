import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { filesOf, findRuns } from '../../src/conformance/find-runs.js';

let root = '';

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'skewscope-runs-'));
  for (const run of ['b', 'a/inner', 'none', '.hidden']) mkdirSync(join(root, run), { recursive: true });
  for (const run of ['b', 'a/inner', '.hidden']) writeFileSync(join(root, run, 'expected.json'), '{}');
  for (const name of ['truth.ndjson', 'README.md', 'cp1-audit.log.gz', 'cp1-kube-apiserver.log', 'cp1-leases.json']) {
    writeFileSync(join(root, 'b', name), '');
  }
});
afterAll(() => rmSync(root, { recursive: true }));

test('findRuns finds the folders with an expected.json, the folder itself included', () => {
  expect(findRuns(root)).toStrictEqual([join(root, 'a', 'inner'), join(root, 'b')]);
  expect(findRuns(join(root, 'b'))).toStrictEqual([join(root, 'b')]);
  expect(findRuns(join(root, 'none'))).toStrictEqual([]);
});

test('filesOf gives neither the truth nor what is expected', () => {
  const run = join(root, 'b');
  const names = ['cp1-audit.log.gz', 'cp1-kube-apiserver.log', 'cp1-leases.json'];
  expect(filesOf(run, 'all')).toStrictEqual(names.map((name) => join(run, name)));
  expect(filesOf(run, 'audit')).toStrictEqual([join(run, 'cp1-audit.log.gz')]);
});
