import { describe, expect, it } from '@jest/globals';
import { createFastDecoder } from '../../../src/formats/index.js';
import type { TopicPartition } from '../../../src/kafka/port.js';
import { writeMark } from '../../../src/service/commit-mark.js';
import { ServiceInputs } from '../../../src/service/inputs.js';
import { type PartitionState, writeBlock } from '../../../src/service/stage-one/block-format.js';
import { BlockWriter } from '../../../src/service/stage-one/block-writer.js';
import { partitionOf } from '../../../src/service/stage-one/keying.js';
import { BlockPartition } from '../../../src/service/stage-two/block-partition.js';
import { KeyingCheck } from '../../../src/service/stage-two/keying-check.js';
import { auditLine } from '../../formats/sample-records.js';
import { batchOf } from '../memory-reader.js';

const PARTITIONS = 4;
const CLUSTER = 'prod';
const PARTITION = partitionOf(CLUSTER, PARTITIONS);
const START = Date.parse('2026-05-01T10:00:00Z');
const usOf = (second: number) => (START + second * 1_000) * 1_000;
const decoder = createFastDecoder();
const NOBODY = { server: '', boot: '' };

/** One of a partition of the input: events at these seconds; how far it is after them. */
function block(
  partition: number,
  seconds: number[],
  more: { us?: number | null; end?: boolean; of?: number; server?: string } = {},
): Buffer {
  const writer = new BlockWriter(CLUSTER);
  for (const second of seconds) {
    const text = auditLine(`id-${partition}-${second}`, {
      stageTimestamp: new Date(START + second * 1_000).toISOString().replace('Z', '000Z'),
    });
    const bytes = Buffer.from(text);
    const event = decoder.decode(bytes, 0, bytes.length, 1, second);
    if (typeof event === 'string') throw new Error(event);
    writer.add(event, { sender: { ...NOBODY, server: more.server ?? '' }, line: 1, offset: second });
  }
  const { us = seconds.at(-1) ?? null, end = false, of = PARTITIONS } = more;
  return writer.take({ of, states: [{ topic: 'audit', partition, us: us === null ? null : usOf(us), end }] });
}

function marker(states: [partition: number, second: number | null, end: boolean][]): Buffer {
  const list: PartitionState[] = states.map(([partition, second, end]) => {
    return { topic: 'audit', partition, us: second === null ? null : usOf(second), end };
  });
  const header = { v: 1 as const, of: PARTITIONS, cluster: '', senders: [], frames: 0, states: list };
  return writeBlock(header, Buffer.alloc(0));
}

interface State {
  nowMs: number;
  offset: number;
  queued: number;
  writtenMs: number;
  places: TopicPartition[] | undefined;
}

function open({ high = 1_000, metadata = '' } = {}) {
  const notes: string[] = [];
  const state: State = { nowMs: 0, offset: 0, queued: 0, writtenMs: 0, places: [] };
  const keying = new KeyingCheck({ partitions: PARTITIONS }, (text) => notes.push(text));
  const inputs = new ServiceInputs(undefined);
  const context = {
    audit: createFastDecoder(),
    inputs,
    maxMessageBytes: 1 << 24,
    currentSlot: () => 7,
    onDamaged: () => {},
  };
  const place = { topic: 'between', partition: PARTITION };
  const committed = metadata === '' ? undefined : { ...place, offset: 0, metadata };
  const stream = new BlockPartition({ ...place, begin: 0, low: 0, high, committed }, 0, context, {
    keying,
    now: () => state.nowMs,
    onNote: (text) => notes.push(text),
    allQueued: () => state.queued,
    places: () => state.places,
    stallMs: 60_000,
  });
  const push = (...values: Buffer[]) => {
    const batch = batchOf(
      { ...place, offset: state.offset },
      values.map((value) => ({ value, timestampMs: state.writtenMs })),
      high,
    );
    state.offset += values.length;
    stream.push(batch);
  };
  /** Seconds of the events that are given; `slotOf`: what becomes of them. */
  const take = (limit = 1_000, slotOf: (second: number) => number | undefined = () => 0) => {
    const seconds: number[] = [];
    stream.give({ fromUs: Number.NEGATIVE_INFINITY, untilUs: Number.POSITIVE_INFINITY }, limit, (record) => {
      seconds.push(record.offset);
      return slotOf(record.offset);
    });
    return seconds;
  };
  return { stream, push, take, notes, keying, inputs, state };
}

describe('a partition of the topic between the stages', () => {
  it('counts the records of senders that are too many to tell apart', () => {
    const { stream, push, take, inputs } = open();
    for (let at = 0; at < 2_000; at += 1) inputs.of('audit', 0, { server: `made-up-${at}`, cluster: CLUSTER });
    push(block(0, [1, 2], { server: 'one-more' }), block(0, [3], { server: 'made-up-7' }), block(0, [4]));
    expect(take()).toEqual([1, 2, 3, 4]);
    expect(stream.unnamed).toBe(2);
  });

  it('gives what partitions of the input hold by time, whatever the order of their blocks', () => {
    const { push, take } = open();
    push(
      block(0, [1, 4, 7], { us: 9 }),
      block(0, [9, 12]),
      block(1, [2, 3, 8], { us: 8 }),
      block(1, [10, 11], { us: 20 }),
    );
    expect(take()).toEqual([1, 2, 3, 4, 7, 8, 9, 10, 11, 12]);
  });

  it('waits for one that has more to come, up to where that is known to be', () => {
    const { stream, push, take } = open();
    push(block(0, [1, 2, 30, 31]), block(1, [3], { us: 3 }));
    expect(take()).toEqual([1, 2, 3]);
    expect(stream.nextUs()).toBeUndefined();
    push(marker([[1, 30, false]]));
    expect(take()).toEqual([30]);
    push(block(1, [30.5], { us: 40 }));
    expect(take()).toEqual([30.5, 31]);
  });

  it('waits for one of which nothing is known but that it is there', () => {
    const { push, take } = open();
    push(marker([[1, null, false]]), block(0, [1]));
    expect(take()).toEqual([]);
    push(block(1, [0, 5]));
    expect(take()).toEqual([0, 1]);
  });

  it('does not wait for one that was at its end, for what was written before that was seen', () => {
    const { push, take } = open();
    push(block(1, [1], { end: true }), block(0, [2, 50]), marker([[1, 1, true]]), block(0, [60]));
    expect(take()).toEqual([1, 2, 50]);
    push(marker([[1, 1, true]]));
    expect(take()).toEqual([60]);
  });

  it('does not wait for it at the end of the topic either', () => {
    const { push, take } = open({ high: 2 });
    push(block(1, [1], { end: true }), block(0, [2, 50]));
    expect(take()).toEqual([1, 2, 50]);
  });

  it('waits for those that others read and that it has not heard of, until a minute of the topic has passed', () => {
    const { push, take, state } = open();
    state.places = undefined;
    push(block(0, [1, 30]));
    expect(take()).toEqual([]);
    state.places = [0, 1].map((partition) => ({ topic: 'audit', partition }));
    expect(take()).toEqual([]);
    push(block(1, [2]));
    expect(take()).toEqual([1, 2]);
    const later = open();
    later.state.places = state.places;
    later.push(block(0, [1]));
    expect(later.take()).toEqual([]);
    later.state.writtenMs = 60_001;
    later.push(block(0, [2]));
    expect(later.take()).toEqual([1, 2]);
  });

  it('goes on without one of which nothing is heard for a minute, says so, and waits for it again when it is back', () => {
    const { push, take, notes, state } = open();
    push(block(0, [1, 30]), block(1, [2]));
    expect(take()).toEqual([1, 2]);
    state.nowMs = 59_000;
    expect(take()).toEqual([]);
    state.nowMs = 60_000;
    expect(take()).toEqual([30]);
    expect(notes).toEqual([expect.stringMatching(/nothing was heard of audit\/1 in between\/\d for 60 s/)]);
    push(block(1, [31], { us: 31 }), block(0, [40]));
    expect(take()).toEqual([31]);
  });

  it('takes in more while it waits, and goes on out of order when that is too much, and says so', () => {
    const { stream, push, take, notes, state } = open();
    push(block(0, [1, 30]), block(1, [2]));
    expect(stream.isFull(1)).toBe(true);
    expect(take()).toEqual([1, 2]);
    expect([stream.isFull(1), stream.hasRoom(1)]).toEqual([false, true]);
    state.queued = 160 * 1024 * 1024;
    expect([stream.isFull(1), stream.hasRoom(1)]).toEqual([true, false]);
    expect(take()).toEqual([30]);
    expect(notes).toEqual([expect.stringMatching(/taken out of order/)]);
  });

  it('settles a block when all of it was taken and its slots are closed', () => {
    const { stream, push, take } = open();
    push(
      block(0, [1, 2], { us: 100 }),
      block(1, [3], { us: 100 }),
      block(0, [4, 50], { us: 100 }),
      marker([]),
      block(1, [51]),
    );
    expect(stream.ledger.position).toBe(0);
    expect(take(3, (second) => (second < 40 ? 1 : 2))).toEqual([1, 2, 3]);
    expect([stream.ledger.position, stream.ledger.settled]).toEqual([2, 0]);
    expect(take(1, () => 1)).toEqual([4]);
    // The block is half taken.
    stream.ledger.closeBelow(2);
    expect([stream.ledger.position, stream.ledger.settled]).toEqual([2, 2]);
    expect(take(2, () => 2)).toEqual([50, 51]);
    expect([stream.ledger.position, stream.ledger.settled]).toEqual([5, 2]);
    stream.ledger.closeBelow(3);
    expect(stream.ledger.settled).toBe(5);
  });

  it('counts as late what comes after its window, not what a process before has taken', () => {
    const { push, take, inputs } = open({ metadata: writeMark({ openUs: 0, dead: 0, read: 1 }) });
    push(block(0, [1, 2], { us: 100 }), block(0, [3, 4, 5]));
    take(10, (second) => (second === 5 ? 7 : undefined));
    expect(inputs.accounts(7).map(({ records, problems }) => [records, [...problems]])).toEqual([[1, [['late', 2]]]]);
  });

  it('leaves out what is no block, or cut, and says so once', () => {
    const { stream, push, take, notes } = open();
    const cut = block(0, [1, 2]);
    push(
      Buffer.from('hello'),
      Buffer.alloc(0),
      cut.subarray(0, cut.length - 10),
      cut.subarray(0, 20),
      block(0, [3], { us: 9 }),
    );
    expect(take()).toEqual([1, 3]);
    expect(stream.damaged).toBe(4);
    expect(notes).toEqual([expect.stringMatching(/offset 0 is no block.*let only skewscope write to the topic/)]);
  });

  it('says that partitions were added, as long as it matters', () => {
    const { push, keying, notes } = open();
    push(block(0, [1]));
    expect(keying.wrongSince(0)).toBe('');
    push(block(0, [2], { of: 3 }), block(0, [3], { of: 3 }));
    expect(notes).toEqual([
      expect.stringMatching(/spreads clusters over 3 partitions and this one over 4.*restart all/),
    ]);
    expect(keying.wrongSince(usOf(3))).toMatch(/partitions were added/);
    expect(keying.wrongSince(undefined)).toMatch(/partitions were added/);
    expect(keying.wrongSince(usOf(4))).toBe('');
  });

  it('says that another program puts clusters where they do not belong', () => {
    const notes: string[] = [];
    const keying = new KeyingCheck({ partitions: PARTITIONS }, (text) => notes.push(text));
    const header = {
      v: 1 as const,
      of: PARTITIONS,
      cluster: CLUSTER,
      senders: [],
      frames: 1,
      states: [{ topic: 'audit', partition: 0, us: 5, end: true }],
    };
    keying.check(header, { topic: 'between', partition: (PARTITION + 1) % PARTITIONS });
    expect(notes).toEqual([expect.stringMatching(new RegExp(`belongs to partition ${PARTITION}: another program`))]);
    expect(keying.wrongSince(5)).not.toBe('');
  });
});
