import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_BATCH_BYTES, pack } from '../../src/kafka/pack.js';
import type { MessageBatch, SenderRules } from '../../src/kafka/port.js';
import { senderReader } from '../../src/kafka/sender.js';

const RULES: SenderRules = { serverHeaders: [], clusterHeaders: [], key: 'server', topic: undefined };
const message = (offset: number, value: Buffer | null, key = '') => ({
  offset: String(offset),
  timestamp: String(1_700_000_000_000 + offset),
  value,
  key: Buffer.from(key),
});
const packed = (messages: ReturnType<typeof message>[], first = 0) =>
  pack({ topic: 't', partition: 3, messages, highWatermark: 99 }, first, senderReader(RULES, 't'));

const values = ({ bytes, starts, ends }: MessageBatch) =>
  [...starts].map((start, i) => bytes.subarray(start, ends[i]).toString('latin1'));

test('values come in their order, with offsets, times and senders beside them', () => {
  const messages = [
    message(5, Buffer.from('one'), 'a'),
    message(6, null, 'b'),
    message(8, Buffer.from('three'), 'a'),
    message(9, Buffer.alloc(0)),
  ];
  const [batch, ...rest] = packed(messages);
  expect(rest).toEqual([]);
  expect(batch).toMatchObject({ topic: 't', partition: 3, highWatermark: 99 });
  if (batch === undefined) throw new Error('no batch');
  expect(values(batch)).toEqual(['one', '', 'three', '']);
  expect([...(batch?.offsets ?? [])]).toEqual([5, 6, 8, 9]);
  expect(batch?.timestamps[2]).toBe(1_700_000_000_008);
  const servers = [...(batch?.senderOf ?? [])].map((index) => batch?.senders[index]?.server);
  expect(servers).toEqual(['a', 'b', 'a', '']);
  expect(packed(messages, 2).flatMap(values)).toEqual(['three', '']);
  expect(packed(messages, 4)).toEqual([]);
});

test('a batch stays small unless one message is large, and has memory of its own', () => {
  const half = Buffer.alloc(MAX_BATCH_BYTES / 2);
  const huge = Buffer.alloc(MAX_BATCH_BYTES * 3);
  const batches = packed([half, half, half, huge, half].map((value, i) => message(i, value)));
  expect(batches.map(({ offsets }) => [...offsets])).toEqual([[0, 1], [2], [3], [4]]);
  for (const { bytes } of batches) expect(bytes.buffer.byteLength).toBe(bytes.length);
});

test('what lies between values in the memory they came in is blank', () => {
  const fetched = Buffer.from('\x00key\xffone\xff\x80\xfftwo\xfe', 'latin1');
  const [batch] = packed([message(1, fetched.subarray(5, 8)), message(2, null), message(3, fetched.subarray(11, 14))]);
  expect(batch?.bytes.toString('latin1')).toBe('one   two');
});

test('values are the same wherever they lie: near, far, one over the other, in any order', () => {
  const memory = Buffer.from(Array.from({ length: 3_000 }, (_, i) => (i * 131) % 256));
  const other = Buffer.from(memory).reverse();
  const value = fc.record({ from: fc.nat(2_900), length: fc.nat(100), own: fc.boolean() });
  fc.assert(
    fc.property(fc.array(value, { maxLength: 40 }), fc.boolean(), (list, sorted) => {
      const places = sorted ? list.toSorted((a, b) => a.from - b.from) : list;
      const given = places.map(({ from, length, own }) => (own ? memory : other).subarray(from, from + length));
      const batches = packed(given.map((bytes, i) => message(i, bytes)));
      expect(batches.flatMap(values)).toEqual(given.map((bytes) => bytes.toString('latin1')));
    }),
  );
});

test('more messages than a batch has numbers for are two batches', () => {
  const batches = packed(Array.from({ length: 70_000 }, (_, i) => message(i, null, `key-${i}`)));
  expect(batches.map(({ offsets }) => offsets.length)).toEqual([65_535, 4_465]);
  expect(batches[0]?.senders.length).toBe(65_535);
  expect(batches[0]?.senders[batches[0].senderOf[65_534] ?? 0]?.server).toBe('key-65534');
});
