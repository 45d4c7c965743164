import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isReadable, type RecordBatch, readRecordBatches } from '../../../src/kafka/kafkajs/record-batch.js';
import { decodePlain, encodeBatch, FIRST_TIMESTAMP } from './record-sets.js';

const GZIP = 1;
const unpack = async (_: number, bytes: Buffer) => gunzipSync(bytes);

/** As kafkajs would have them; it tells null from empty, of which nobody here knows. */
function messagesOf(batches: readonly RecordBatch[]) {
  return batches.flatMap(({ records }) => {
    const { memory, starts, ends, keyStarts, keyEnds, offsets, timestamps, headers } = records;
    return [...offsets].map((offset, i) => ({
      offset: String(offset),
      timestamp: String(timestamps[i]),
      key: memory.toString('hex', keyStarts[i], keyEnds[i]),
      value: memory.toString('hex', starts[i], ends[i]),
      headers: headers(i),
    }));
  });
}

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const record = fc.record({
  key: fc.option(bytes),
  value: fc.option(bytes),
  headers: fc.dictionary(
    fc.constantFrom('node', 'Cluster', 'trace'),
    fc.oneof(bytes, fc.array(bytes, { minLength: 2, maxLength: 3 })),
  ),
  timestampDelta: fc.oneof(fc.integer({ min: -100_000, max: 100_000 }), fc.constantFrom(2 ** 40, -(2 ** 40))),
});
const batch = fc.record({
  list: fc.array(record, { minLength: 1, maxLength: 20 }),
  compression: fc.constantFrom(0, GZIP),
});

test('records are those that kafkajs reads, of any sizes, packed or not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { maxLength: 4 }), async (batches) => {
      let baseOffset = 2 ** 33;
      const parts: Buffer[] = [];
      for (const { list, compression } of batches) {
        parts.push(await encodeBatch(list, { baseOffset, compression }));
        baseOffset += list.length;
      }
      const all = Buffer.concat(parts);
      const plain = (await decodePlain(all)).map(({ offset, timestamp, key, value, headers }) => ({
        offset,
        timestamp,
        key: key?.toString('hex') ?? '',
        value: value?.toString('hex') ?? '',
        headers,
      }));
      const read = messagesOf(await readRecordBatches(all, unpack));
      expect(read).toEqual(plain);
      // The last may be cut off, and is left out then.
      const cut = await readRecordBatches(all.subarray(0, -1), unpack);
      expect(cut.length).toBe(Math.max(0, batches.length - 1));
    }),
    { numRuns: 60 },
  );
});

test('what a batch stands for goes on to its last offset, whatever compaction has left of it', async () => {
  const sent = [{ value: Buffer.from('a') }, { value: Buffer.from('b') }];
  const all = await encodeBatch(sent, {
    baseOffset: 100,
    deltas: [3, 7],
    lastDelta: 20,
    producerId: 9,
    transactional: true,
  });
  const [one] = await readRecordBatches(all, unpack);
  expect(one).toMatchObject({
    baseOffset: 100,
    lastOffset: 120,
    producerId: '9',
    inTransaction: true,
    isControl: false,
  });
  expect([...(one?.records.offsets ?? [])]).toEqual([103, 107]);
});

test('the time is that of the broker where the topic says so', async () => {
  const all = await encodeBatch([{ value: Buffer.from('a'), timestampDelta: 5 }], { baseOffset: 0 });
  all.writeInt16BE(0x08, 21);
  const [one] = await readRecordBatches(all, unpack);
  expect(one?.records.timestamps[0]).toBe(FIRST_TIMESTAMP + 1_000);
});

test('damage is an error that names the offset, and never anything else', async () => {
  const list = Array.from({ length: 5 }, (_, i) => ({ key: Buffer.from('cp-1'), value: Buffer.alloc(200, i) }));
  const all = await encodeBatch(list, { baseOffset: 40 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 57, max: all.length - 1 }), fc.nat(255), async (at, byte) => {
      const broken = Buffer.from(all);
      broken[at] = byte;
      try {
        const [one] = await readRecordBatches(broken, unpack);
        for (const end of one?.records.ends ?? []) expect(end).toBeLessThanOrEqual(all.length);
      } catch (error) {
        expect(String(error)).toContain('offset 40 is damaged');
      }
    }),
    { numRuns: 500 },
  );
});

test('older formats are not read', async () => {
  const all = await encodeBatch([{ value: Buffer.from('a') }], { baseOffset: 0 });
  expect(isReadable(all)).toBe(true);
  expect(isReadable(Buffer.alloc(0))).toBe(true);
  const old = Buffer.from(all);
  old[16] = 1;
  expect(isReadable(old)).toBe(false);
  expect(isReadable(Buffer.concat([all, old]))).toBe(false);
});
