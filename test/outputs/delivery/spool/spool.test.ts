import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Ledger } from '../../../../src/outputs/delivery/ledger.js';
import type { Notice } from '../../../../src/outputs/delivery/notice.js';
import { openSpool } from '../../../../src/outputs/delivery/spool/index.js';
import { OutputError } from '../../../../src/outputs/output.js';
import { makeFolder } from '../../../sources/folder.js';
import { finding } from '../examples.js';

let folder: ReturnType<typeof makeFolder>;
let messages: string[];
beforeEach(() => {
  folder = makeFolder();
  messages = [];
});
afterEach(() => folder.drop());

function open(ledger = new Ledger()) {
  const options = { folder: `${folder.path}/s`, maxBytes: 1_000_000, fsync: 'always' as const };
  return openSpool(options, ledger, (message) => messages.push(message));
}

function notice(at: number): Notice {
  const fingerprint = `f${at}`;
  return {
    key: fingerprint,
    counter: 1,
    kind: 'opened',
    scope: 'finding',
    cluster: 'default',
    atMs: 1_000 + at,
    findings: [finding({ fingerprint })],
    total: 1,
    told: [{ fingerprint, state: 'firing', digest: 'd', toUs: 5 }],
  };
}

describe('what waits outlives the process', () => {
  test('in order, and as told', async () => {
    const first = await open();
    for (let at = 0; at < 5; at++) await first.queue.put([notice(at)]);
    await first.close();
    const ledger = new Ledger();
    const again = await open(ledger);
    const entries = again.queue.head(10);
    expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    for (const [at, entry] of entries.entries()) expect(await again.queue.read(entry)).toEqual(notice(at));
    expect(ledger.finding('f3')).toMatchObject({ state: 'firing', earlier: true });
    expect(again.queue.waiting).toEqual({ stored: 5, inMemory: 0 });
    await again.close();
  });

  test('without what was noted as settled, though it is still in a segment', async () => {
    const first = await open();
    for (let at = 0; at < 3; at++) await first.queue.put([notice(at)]);
    const { key, counter, kind, atMs, told } = notice(1);
    await first.log.append([{ seq: 2, key, counter, kind, atMs, told, outcome: 'delivered' }]);
    await first.close();
    const again = await open();
    expect(again.queue.head(10).map(({ key }) => key)).toEqual(['f0', 'f2']);
    await again.queue.put([notice(9)]);
    expect(again.queue.lastSeq).toBe(4);
    await again.close();
  });

  test('numbers go on, and what was told is known, when nothing waits any more', async () => {
    const first = await open();
    await first.queue.put([notice(0)]);
    const { key, counter, kind, atMs, told } = notice(0);
    await first.log.append([{ seq: 1, key, counter, kind, atMs, told, outcome: 'delivered' }]);
    for (const entry of first.queue.head(1)) await first.queue.settle(entry);
    await first.close();
    for (let times = 0; times < 2; times++) {
      const ledger = new Ledger();
      const again = await open(ledger);
      expect(again.queue.size).toBe(0);
      expect(again.queue.lastSeq).toBe(1);
      expect(ledger.finding('f0')).toMatchObject({
        key: 'f0',
        state: 'firing',
        digests: ['d'],
        toUs: 5,
        earlier: true,
      });
      expect(ledger.counter('f0')).toBe(1);
      await again.close();
    }
    expect(readdirSync(`${folder.path}/s`)).toEqual(['notified.ndjson']);
  });
});

test('damaged lines are left out and counted; the others are kept', async () => {
  const first = await open();
  await first.queue.put([notice(0)]);
  await first.close();
  const [segment] = readdirSync(`${folder.path}/s`).filter((name) => /^\d/.test(name));
  appendFileSync(`${folder.path}/s/${segment}`, 'garbage\n{"seq":7}\n');
  writeFileSync(
    `${folder.path}/s/notified.ndjson`,
    `\u0000\u0000\n${readFileSync(`${folder.path}/s/notified.ndjson`, 'utf8')}`,
  );
  const again = await open();
  expect(again.queue.size).toBe(1);
  expect(messages).toEqual([expect.stringContaining('3 damaged lines left out in')]);
  await again.close();
});

test('a folder that is in use, or cannot be written, is told', async () => {
  const first = await open();
  await expect(open()).rejects.toThrow(OutputError);
  await first.close();
  writeFileSync(`${folder.path}/file`, '');
  const options = { folder: `${folder.path}/file/s`, maxBytes: 1, fsync: 'never' as const };
  await expect(openSpool(options, new Ledger(), () => {})).rejects.toThrow('give a folder that can be written');
});

test('when the disk fails, messages are kept in memory, and that is said', async () => {
  const spool = await open();
  await spool.queue.put([notice(0)]);
  await spool.queue.storage.close();
  const root = process.getuid?.() === 0;
  // Root writes everywhere: there the segment's name is taken by a folder instead.
  if (root) mkdirSync(`${folder.path}/s/0000000002.ndjson`);
  else chmodSync(`${folder.path}/s`, 0o500);
  await spool.queue.put([notice(1)]);
  expect(spool.queue.waiting).toEqual({ stored: 1, inMemory: 1 });
  expect(messages).toEqual([expect.stringContaining('messages are kept in memory only')]);
  for (const entry of spool.queue.head(2)) expect((await spool.queue.read(entry))?.kind).toBe('opened');
  if (!root) chmodSync(`${folder.path}/s`, 0o700);
  await spool.close();
});
