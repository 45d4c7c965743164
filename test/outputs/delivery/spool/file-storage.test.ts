import { readdirSync, statSync, truncateSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { FileStorage } from '../../../../src/outputs/delivery/spool/file-storage.js';
import { makeFolder } from '../../../sources/folder.js';

let folder: ReturnType<typeof makeFolder>;
let path: string;
beforeEach(() => {
  folder = makeFolder();
  path = `${folder.path}/spool`;
});
afterEach(() => folder.drop());

const open = (segmentBytes = 100) => FileStorage.open(path, { fsync: 'always', segmentBytes });

async function leftovers(storage: FileStorage): Promise<string[]> {
  const lines: string[] = [];
  for await (const { line, place } of storage.leftovers()) {
    expect(await storage.read(place)).toBe(line);
    lines.push(line);
  }
  return lines;
}

test('lines come back from where they were put, also in another process', async () => {
  const storage = await open();
  const lines = Array.from({ length: 50 }, (_, at) => `${at}: ü😀 ${'x'.repeat(at)}`);
  for (const line of lines) {
    const [place] = await storage.append([line]);
    if (place === undefined) throw new Error('no place');
    expect(await storage.read(place)).toBe(line);
  }
  await storage.close();
  expect(readdirSync(path).length).toBeGreaterThan(5);
  expect(await leftovers(await open())).toEqual(lines);
});

test('a segment goes when all in it is settled; the bytes are those of the files', async () => {
  const storage = await open();
  const places = [];
  for (let at = 0; at < 20; at++) places.push(...(await storage.append(['x'.repeat(40)])));
  const onDisk = () => readdirSync(path).reduce((sum, name) => sum + statSync(`${path}/${name}`).size, 0);
  expect(storage.bytes).toBe(onDisk());
  for (const place of places.slice(1)) await storage.release(place);
  expect(readdirSync(path).length).toBe(1);
  expect(storage.bytes).toBe(onDisk());
  for (const place of places.slice(0, 1)) await storage.release(place);
  expect(readdirSync(path)).toEqual([]);
  expect(storage.bytes).toBe(0);
  await storage.append(['again']);
  expect(readdirSync(path).length).toBe(1);
  await storage.close();
});

test('half a line at the end, from a process that died, is left out and nothing is written behind it', async () => {
  const storage = await open(10_000);
  await storage.append(['whole', 'half']);
  await storage.close();
  const [name] = readdirSync(path);
  truncateSync(`${path}/${name}`, 'whole\nha'.length);
  const again = await open(10_000);
  expect(await leftovers(again)).toEqual(['whole']);
  await again.append(['new']);
  await again.close();
  expect(await leftovers(await open())).toEqual(['whole', 'new']);
});

test('the folder and its files are for their owner only', async () => {
  const storage = await open();
  await storage.append(['secret']);
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(statSync(`${path}/${readdirSync(path)[0]}`).mode & 0o077).toBe(0);
  await storage.close();
});

test('the last message of a segment may be settled while another is written to it', async () => {
  const storage = await open(1_000_000);
  let [before] = await storage.append(['first']);
  for (let at = 0; at < 200; at++) {
    if (before === undefined) throw new Error('no place');
    const appending = storage.append([`line ${at}`]);
    for (let turns = 0; turns < at % 8; turns++) await Promise.resolve();
    const [[place]] = await Promise.all([appending, storage.release(before)]);
    if (place === undefined) throw new Error('no place');
    expect(await storage.read(place)).toBe(`line ${at}`);
    before = place;
  }
  await storage.close();
  expect(await leftovers(await open())).toContain('line 199');
});
