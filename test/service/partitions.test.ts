import { describe, expect, it } from '@jest/globals';
import { createFastDecoder } from '../../src/formats/index.js';
import type { Assigned, MessageBatch, TopicPartition } from '../../src/kafka/port.js';
import { writeMark } from '../../src/service/commit-mark.js';
import { ServiceInputs } from '../../src/service/inputs.js';
import type { DamagedMessage } from '../../src/service/message-reader.js';
import { openPartition } from '../../src/service/partition-stream.js';
import { Partitions } from '../../src/service/partitions.js';
import { linesOf } from './audit-lines.js';

const LINES = linesOf('wrong-peer-ca').map(({ text }) => text);
const MIB = 2 ** 20;

function partitions(count = 1) {
  const flow: string[] = [];
  const names = (list: readonly TopicPartition[]) => list.map(({ partition }) => partition).join();
  const damaged: DamagedMessage[] = [];
  const subject = new Partitions(
    { pause: (list) => flow.push(`pause ${names(list)}`), resume: (list) => flow.push(`resume ${names(list)}`) },
    openPartition,
  );
  const context = {
    audit: createFastDecoder(),
    inputs: new ServiceInputs(undefined),
    maxMessageBytes: MIB,
    onDamaged: (message: DamagedMessage) => damaged.push(message),
    currentSlot: () => 1,
  };
  subject.replace(
    Array.from({ length: count }, (_, at) => assigned(at)),
    0,
    context,
  );
  return { subject, flow, damaged, context };
}

const assigned = (partition: number, more: Partial<Assigned> = {}): Assigned => ({
  topic: 'audit',
  partition,
  committed: undefined,
  begin: 0,
  low: 0,
  high: 0,
  ...more,
});

function batch(partition: number, from: number, values: readonly (string | number)[], end?: number): MessageBatch {
  const buffers = values.map((value) => (typeof value === 'string' ? Buffer.from(value) : Buffer.alloc(value, 'x')));
  const ends: number[] = [];
  for (const { length } of buffers) ends.push((ends.at(-1) ?? 0) + length);
  return {
    topic: 'audit',
    partition,
    bytes: Buffer.concat(buffers),
    starts: Int32Array.from([0, ...ends.slice(0, -1)]),
    ends: Int32Array.from(ends),
    offsets: Float64Array.from(values, (_, at) => from + at),
    timestamps: new Float64Array(values.length),
    senderOf: new Uint16Array(values.length),
    senders: [{ server: 'cp1', cluster: '' }],
    highWatermark: end ?? from + values.length,
  };
}

/** Takes everything that may be taken; gives the Audit-IDs. */
function takeAll(subject: Partitions): string[] {
  const taken: string[] = [];
  for (const stream of subject.streams()) {
    stream.give({ fromUs: Number.NEGATIVE_INFINITY, untilUs: Number.POSITIVE_INFINITY }, 10_000, (record) => {
      if (record.type === 'audit') taken.push(record.auditID);
      return 1;
    });
  }
  return taken;
}

describe('partitions', () => {
  it('are paused when much waits, and go on when half of it is taken', () => {
    const { subject, flow } = partitions(2);
    subject.take(batch(0, 0, [5 * MIB]), 0);
    expect(flow).toEqual([]);
    subject.take(batch(0, 1, [4 * MIB]), 0);
    expect(flow).toEqual(['pause 0']);
    subject.take(batch(0, 2, [MIB]), 0);
    expect(flow).toEqual(['pause 0']);
    subject.resumeEmpty();
    expect(flow).toEqual(['pause 0']);
    takeAll(subject);
    subject.resumeEmpty();
    subject.resumeEmpty();
    expect(flow).toEqual(['pause 0', 'resume 0']);
  });

  it('share what may wait, however many there are', () => {
    const { subject, flow } = partitions(96);
    subject.take(batch(5, 0, [MIB]), 0);
    expect(flow).toEqual(['pause 5']);
  });

  it('take nothing twice, and nothing of what is not assigned', () => {
    const { subject } = partitions();
    subject.take(batch(0, 0, LINES.slice(0, 3)), 0);
    subject.take(batch(0, 0, LINES.slice(0, 3)), 0);
    subject.take(batch(7, 0, LINES.slice(0, 3)), 0);
    expect(takeAll(subject)).toHaveLength(3);
    expect([...subject.all()][0]?.stream.ledger.position).toBe(3);
  });

  it('are read from their beginning when the topic was made anew, dead letters too', () => {
    const { subject, flow, damaged } = partitions();
    subject.take(batch(0, 0, [...LINES.slice(0, 8), 9 * MIB]), 0);
    expect(takeAll(subject)).toHaveLength(8);
    expect(flow).toEqual(['pause 0']);
    // It holds three messages now.
    subject.take(batch(0, 0, [LINES[20] ?? '', 'no record', LINES[21] ?? '']), 5);
    expect(flow).toEqual(['pause 0', 'resume 0']);
    expect(takeAll(subject)).toHaveLength(2);
    const [partition] = [...subject.all()];
    expect(partition?.stream.ledger.position).toBe(3);
    expect([partition?.deadBelow, partition?.committed]).toEqual([0, null]);
    expect(damaged.map(({ offset }) => offset)).toEqual([8, 1]);
    expect(subject.streams()).toHaveLength(1);
    // And on from there.
    subject.take(batch(0, 3, LINES.slice(30, 32)), 6);
    expect(takeAll(subject)).toHaveLength(2);
  });

  it('go on as they are where only more come, and know what is new', () => {
    const { subject, context } = partitions(1);
    subject.take(batch(0, 0, LINES.slice(0, 4)), 0);
    expect(subject.isOnlyMore([assigned(0), assigned(1)])).toBe(true);
    expect(subject.isOnlyMore([assigned(1)])).toBe(false);
    const committed = { topic: 'audit', partition: 1, offset: 9 };
    expect(subject.isOnlyMore([assigned(0), assigned(1, { committed })])).toBe(false);
    subject.extend([assigned(0), assigned(1, { begin: 6 })], 0, context);
    expect([...subject.all()].map(({ stream }) => stream.received)).toEqual([4, 6]);
    expect(takeAll(subject)).toHaveLength(4);
  });

  it('begin anew with what an earlier process noted', () => {
    const { subject, context } = partitions(2);
    const metadata = writeMark({ openUs: 77, dead: 5 });
    const committed = { topic: 'audit', partition: 0, offset: 3, metadata };
    const marks = subject.replace([assigned(0, { committed, begin: 3 }), assigned(4)], 0, context);
    expect(marks).toEqual([77]);
    expect([...subject.all()].map(({ deadBelow, committed }) => [deadBelow, committed])).toEqual([
      [5, 3],
      [0, null],
    ]);
    expect(subject.size).toBe(2);
  });
});
