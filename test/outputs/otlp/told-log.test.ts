import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ToldLog } from '../../../src/outputs/otlp/told-log.js';
import { type ToldKey, ToldTable } from '../../../src/outputs/otlp/told-table.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skewscope-told-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const key = (at: number, atS = at): ToldKey => ({
  hash: (BigInt(at) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn,
  atS,
});
const keys = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => key(from + at));
const file = () => join(folder, 'told.bin');
const DAY = 24 * 3_600;

async function reopened(maxKeys = 1_000): Promise<ToldLog> {
  const log = await ToldLog.open({ folder, maxKeys });
  await log.close();
  return log;
}

test('what was noted is known to the next process, at sixteen bytes each', async () => {
  const log = await ToldLog.open({ folder, maxKeys: 1_000 });
  await log.note(keys(0, 3));
  await log.note(keys(2, 5));
  await log.close();
  expect(statSync(file()).size).toBe(5 * 16);
  expect(statSync(file()).mode & 0o077).toBe(0);
  const next = await reopened();
  expect(keys(0, 6).map((one) => next.has(one))).toEqual([true, true, true, true, true, false]);
});

test('a torn end costs the record that it hits, and what is noted behind it is whole', async () => {
  const log = await ToldLog.open({ folder, maxKeys: 1_000 });
  await log.note(keys(0, 4));
  await log.close();
  writeFileSync(file(), readFileSync(file()).subarray(0, 3 * 16 + 7));
  const next = await ToldLog.open({ folder, maxKeys: 1_000 });
  await next.note([key(9)]);
  await next.close();
  const last = await reopened();
  expect([0, 1, 2, 3, 9].map((at) => last.has(key(at)))).toEqual([true, true, true, false, true]);
});

test('damage within costs no more', async () => {
  const log = await ToldLog.open({ folder, maxKeys: 1_000 });
  await log.note(keys(0, 4));
  await log.close();
  const bytes = readFileSync(file());
  bytes[20] = (bytes[20] ?? 0) ^ 0xff;
  writeFileSync(file(), bytes);
  const next = await reopened();
  expect(keys(0, 4).map((one) => next.has(one))).toEqual([true, false, true, true]);
});

test('the file is bounded: the latest by event time stay', async () => {
  const log = await ToldLog.open({ folder, maxKeys: 100 });
  for (let at = 0; at < 1_000; at += 10) {
    await log.note(keys(at, at + 10));
    expect(statSync(file()).size).toBeLessThanOrEqual(160 * 16);
  }
  await log.close();
  const next = await reopened(100);
  expect([next.has(key(999)), next.has(key(950)), next.has(key(0))]).toEqual([true, true, false]);
});

test('without a folder it remembers while it lives, within the same bound', async () => {
  const log = await ToldLog.open({ folder: null, maxKeys: 100 });
  await log.note(keys(0, 1_000));
  expect([log.has(key(999)), log.has(key(0)), log.table.size]).toEqual([true, false, 100]);
});

test('age counts from what is usual, not from a clock that runs ahead', () => {
  const table = new ToldTable();
  for (let at = 0; at < 200; at++) table.add(key(at + 1, 100 * DAY + at));
  table.add(key(1_000, 90 * DAY));
  table.add(key(1_001, 36_500 * DAY));
  table.prune(1_000, 7 * DAY);
  expect([table.has(key(1).hash), table.has(key(1_000).hash), table.has(key(1_001).hash)]).toEqual([true, false, true]);
});

test('a table holds what was added, with its latest time, whatever the hashes are', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.bigInt({ min: 0n, max: 40n }), fc.nat(1_000))), fc.boolean(), (pairs, far) => {
      const table = new ToldTable();
      const expected = new Map<bigint, number>();
      for (const [low, atS] of pairs) {
        // Equal low bits meet in the same place.
        const hash = far ? (low << 40n) + 7n : low + 1n;
        expect(table.add({ hash, atS })).toBe(atS > (expected.get(hash) ?? -1));
        expected.set(hash, Math.max(atS, expected.get(hash) ?? 0));
      }
      expect(table.size).toBe(expected.size);
      for (const [hash, atS] of expected) expect(table.timeOf(hash)).toBe(atS);
      expect(table.timeOf(123_456n)).toBeUndefined();
    }),
    { numRuns: 50 },
  );
});
