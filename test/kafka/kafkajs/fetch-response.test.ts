import { expect, test } from '@jest/globals';
import { readFetchResponse } from '../../../src/kafka/kafkajs/fetch-response.js';
import { encodeBatch, encodeMark, encodeResponse, type Partition } from './record-sets.js';

const unpack = async (_: number, bytes: Buffer) => bytes;
const sent = (...values: string[]) => values.map((value) => ({ value: Buffer.from(value) }));

/** Offset and values of what kafkajs is given in place of messages; undefined where it is not to read them. */
async function read(partition: Partition, from = 0) {
  const response = await readFetchResponse(encodeResponse({ audit: [partition] }), () => from, unpack);
  return response?.responses[0]?.partitions[0]?.messages.map(({ offset, isControlRecord, records }) => [
    offset,
    isControlRecord || records === undefined
      ? undefined
      : [...records.starts].map((start, i) => records.memory.toString('latin1', start, records.ends[i])).join(),
  ]);
}

test('topics and partitions are as the broker tells', async () => {
  const bytes = await encodeBatch(sent('a'), { baseOffset: 0 });
  const payload = encodeResponse({
    one: [
      { partition: 3, bytes },
      { partition: 4, bytes: Buffer.alloc(0) },
    ],
    two: [{ partition: 0, bytes }],
  });
  const response = await readFetchResponse(payload, () => 0, unpack);
  expect(response).toMatchObject({
    clientSideThrottleTime: 7,
    throttleTime: 0,
    errorCode: 0,
    responses: [
      {
        topicName: 'one',
        partitions: [{ partition: 3, highWatermark: '1000', lastStableOffset: '900' }, { partition: 4 }],
      },
      { topicName: 'two', partitions: [{ partition: 0, abortedTransactions: [], preferredReadReplica: -1 }] },
    ],
  });
  expect(response?.responses[0]?.partitions[1]?.messages).toEqual([]);
});

test('each record batch is one message with its last offset; those before the offset that was asked for are left out', async () => {
  const bytes = Buffer.concat([
    await encodeBatch(sent('a', 'b'), { baseOffset: 10 }),
    await encodeBatch(sent('c', 'd', 'e'), { baseOffset: 12 }),
  ]);
  expect(await read({ partition: 0, bytes })).toEqual([
    ['11', 'a,b'],
    ['14', 'c,d,e'],
  ]);
  expect(await read({ partition: 0, bytes }, 13)).toEqual([['14', 'c,d,e']]);
});

test('aborted transactions are not read, those around them are, and offsets go on without a gap', async () => {
  const of = (producerId: number) => ({ producerId, transactional: true });
  const bytes = Buffer.concat([
    await encodeBatch(sent('lost', 'lost'), { baseOffset: 0, ...of(1) }),
    await encodeBatch(sent('kept'), { baseOffset: 2, ...of(2) }),
    await encodeBatch(sent('plain'), { baseOffset: 3, producerId: 1 }),
    await encodeBatch(sent('lost'), { baseOffset: 4, ...of(1) }),
    await encodeMark(5, 1, 'abort'),
    await encodeMark(6, 2, 'commit'),
    await encodeBatch(sent('kept'), { baseOffset: 7, ...of(1) }),
    await encodeMark(8, 1, 'commit'),
    await encodeBatch(sent('lost'), { baseOffset: 9, ...of(1) }),
  ]);
  const aborted = [
    { producerId: 1, firstOffset: 9 },
    { producerId: 1, firstOffset: 0 },
  ];
  expect(await read({ partition: 0, bytes, aborted })).toEqual([
    ['0', undefined],
    ['1', undefined],
    ['2', 'kept'],
    ['3', 'plain'],
    ['4', undefined],
    ['5', undefined],
    ['6', undefined],
    ['7', 'kept'],
    ['8', undefined],
    ['9', undefined],
  ]);
  // Where reading begins in the middle of one.
  expect((await read({ partition: 0, bytes, aborted }, 1))?.slice(0, 2)).toEqual([
    ['1', undefined],
    ['2', 'kept'],
  ]);
});

test('several transactions that began before the first batch are all left out', async () => {
  const of = (producerId: number) => ({ producerId, transactional: true });
  const bytes = Buffer.concat([
    await encodeBatch(sent('lost'), { baseOffset: 20, ...of(1) }),
    await encodeBatch(sent('lost'), { baseOffset: 21, ...of(2) }),
    await encodeBatch(sent('lost'), { baseOffset: 22, ...of(3) }),
  ]);
  const aborted = [1, 2, 3].map((producerId) => ({ producerId, firstOffset: producerId }));
  expect((await read({ partition: 0, bytes, aborted }, 20))?.every(([, values]) => values === undefined)).toBe(true);
});

test('what compaction has emptied is gone over', async () => {
  const bytes = await encodeBatch([], { baseOffset: 30, lastDelta: 9 });
  expect(await read({ partition: 0, bytes }, 33)).toEqual([
    ['33', undefined],
    ['39', undefined],
  ]);
});

test('an answer with older formats is left to kafkajs', async () => {
  const bytes = await encodeBatch(sent('a'), { baseOffset: 0 });
  bytes[16] = 1;
  expect(await read({ partition: 0, bytes })).toBeUndefined();
});
