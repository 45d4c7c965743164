import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { incomingOf } from '../../src/kafka/kafkajs/plain-messages.js';
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
  pack(
    { topic: 't', partition: 3, records: [incomingOf(messages)], highWatermark: 99 },
    Number(messages[first]?.offset ?? Number.POSITIVE_INFINITY),
    senderReader(RULES, 't'),
  );

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

test('keys between values in the memory they came in are blank, far values have nothing between', () => {
  const gaps = [message(1, Buffer.from('one'), 'a'), message(2, null, 'bcd'), message(3, Buffer.from('two'), '\u00e9')];
  expect(packed(gaps)[0]?.bytes.toString('latin1')).toBe('one     two');
  const far = [message(1, Buffer.from('one')), message(2, Buffer.from('two'), 'k'.repeat(600))];
  expect(packed(far)[0]?.bytes.toString('latin1')).toBe('onetwo');
});

test('values are the same whatever keys lie between them, and however they are fetched', () => {
  const one = fc.record({ size: fc.nat(300), key: fc.constantFrom('', 'cp-1', 'x'.repeat(200), 'y'.repeat(600)) });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 30 }), fc.nat(30), fc.nat(30), (list, cut, first) => {
      const messages = list.map(({ size, key }, i) => message(i * 2, Buffer.from(Array(size).fill(i)), key));
      const records = [messages.slice(0, cut), messages.slice(cut)].map(incomingOf);
      const batches = pack({ topic: 't', partition: 3, records, highWatermark: 99 }, first, senderReader(RULES, 't'));
      const left = messages.filter(({ offset }) => Number(offset) >= first);
      expect(batches.flatMap(values)).toEqual(left.map(({ value }) => value?.toString('latin1')));
      expect(batches.flatMap(({ offsets }) => [...offsets])).toEqual(left.map(({ offset }) => Number(offset)));
      const servers = batches.flatMap(({ senderOf, senders }) => [...senderOf].map((at) => senders[at]?.server));
      expect(servers).toEqual(left.map(({ key }) => (key.length > 253 ? '' : key.toString())));
    }),
  );
});

test('more messages than a batch has numbers for are two batches', () => {
  const batches = packed(Array.from({ length: 70_000 }, (_, i) => message(i, null, `key-${i}`)));
  expect(batches.map(({ offsets }) => offsets.length)).toEqual([65_535, 4_465]);
  expect(batches[0]?.senders.length).toBe(65_535);
  expect(batches[0]?.senders[batches[0].senderOf[65_534] ?? 0]?.server).toBe('key-65534');
});
