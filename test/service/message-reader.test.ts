import { describe, expect, it } from '@jest/globals';
import { createFastDecoder } from '../../src/formats/index.js';
import type { MessageBatch, Sender } from '../../src/kafka/port.js';
import { ServiceInputs } from '../../src/service/inputs.js';
import { type DamagedMessage, MessageReader, type ReaderContext } from '../../src/service/message-reader.js';
import { linesOf } from './audit-lines.js';

const [LINE = '', NEXT = ''] = linesOf('wrong-peer-ca').map(({ text }) => text);
const HOUR_US = 3_600_000_000;
const TIME_US = Date.parse(/"stageTimestamp":"([^"]+)"/.exec(LINE)?.[1] ?? '') * 1_000;
const CP1: Sender = { server: 'cp1', cluster: '' };

function reader(more: Partial<ReaderContext> = {}) {
  const damaged: DamagedMessage[] = [];
  const inputs = new ServiceInputs(undefined);
  const subject = new MessageReader('audit', 2, {
    audit: createFastDecoder(),
    inputs,
    maxMessageBytes: 1_000_000,
    onDamaged: (message) => damaged.push(message),
    currentSlot: () => 7,
    ...more,
  });
  /** `offset`: of the first. */
  const read = (values: readonly string[], senders: readonly Sender[] = [CP1], offset = 40) => {
    const buffers = values.map((value) => Buffer.from(value));
    const ends: number[] = [];
    for (const { length } of buffers) ends.push((ends.at(-1) ?? 0) + length);
    const batch: MessageBatch = {
      topic: 'audit',
      partition: 2,
      bytes: Buffer.concat(buffers),
      starts: Int32Array.from([0, ...ends.slice(0, -1)]),
      ends: Int32Array.from(ends),
      offsets: Float64Array.from(values, (_, at) => offset + at),
      timestamps: Float64Array.from(values, () => TIME_US / 1_000),
      senderOf: Uint16Array.from(values, (_, at) => Math.min(at, senders.length - 1)),
      senders,
      highWatermark: 100,
    };
    for (const at of values.keys()) subject.read(batch, at, batch.bytes, 0);
  };
  const problems = () => inputs.accounts(7).flatMap(({ problems }) => [...problems]);
  return { subject, damaged, inputs, read, problems };
}

describe('a reader of messages', () => {
  it('gives records with the input and the offset that each counts for', () => {
    const { subject, read } = reader();
    read([LINE, NEXT], [CP1, { server: 'cp2', cluster: 'test' }]);
    expect(subject.offsets).toEqual([40, 41]);
    expect(subject.inputs.map(({ ref }) => [ref.writer, ref.cluster])).toEqual([
      ['cp1', undefined],
      ['cp2', 'test'],
    ]);
    subject.clear();
    expect([subject.records, subject.inputs, subject.offsets]).toEqual([[], [], []]);
  });

  it('gives all events of one message under its offset', () => {
    const { subject, read, damaged } = reader();
    read([`{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[${LINE},${NEXT}]}`, LINE]);
    expect(subject.offsets).toEqual([40, 40, 41]);
    expect(damaged).toEqual([]);
  });

  it('counts the records of senders that are too many to tell apart, and no others', () => {
    const { subject, inputs, read } = reader();
    for (let at = 0; at < 2_000; at += 1) inputs.of('audit', 0, { server: `made-up-${at}`, cluster: '' });
    read([LINE, LINE, NEXT], [{ server: 'made-up-7', cluster: '' }]);
    read([LINE], [{ server: '', cluster: '' }]);
    expect(subject.unnamed).toBe(0);
    read([LINE, LINE, NEXT]);
    expect(subject.unnamed).toBe(3);
    read([JSON.stringify({ log: LINE, kubernetes: { host: 'one-more' } })]);
    expect(subject.unnamed).toBe(4);
  });

  it('counts what is damaged, and gives it with where it was and a value of its own', () => {
    const { subject, read, damaged, problems } = reader();
    read(['{', LINE, 'x'.repeat(10)]);
    expect(subject.records).toHaveLength(1);
    expect(subject.damaged).toBe(2);
    expect(damaged.map(({ offset, value }) => [offset, String(value)])).toEqual([
      [40, '{'],
      [42, 'xxxxxxxxxx'],
    ]);
    expect(damaged[0]).toMatchObject({ topic: 'audit', partition: 2, sender: CP1 });
    expect(problems().reduce((sum, [, count]) => sum + count, 0)).toBe(2);
  });

  it('leaves out what lies ahead of the present, counts it, and gives its message away as damaged', () => {
    const ahead: [number, number][] = [];
    const { subject, read, damaged, problems } = reader({
      latestUs: () => TIME_US + HOUR_US,
      onAhead: ({ offset }, timeUs) => ahead.push([offset, timeUs]),
    });
    const later = (text: string) => text.replace(/"stageTimestamp":"\d{4}/, '"stageTimestamp":"2099');
    read([later(LINE), LINE, later(NEXT)]);
    expect(subject.offsets).toEqual([41]);
    expect(ahead.map(([offset]) => offset)).toEqual([40, 42]);
    expect(Math.min(...ahead.map(([, timeUs]) => timeUs))).toBeGreaterThan(Date.UTC(2099, 0) * 1_000);
    expect(subject.damaged).toBe(2);
    expect(damaged.map(({ offset, problems: [first] }) => [offset, first?.reason])).toEqual([
      [40, 'bad-timestamp'],
      [42, 'bad-timestamp'],
    ]);
    expect(damaged[0]?.problems[0]?.detail).toMatch(/^a record of 2099-.*, which is too far ahead of the present$/);
    expect(String(damaged[0]?.value)).toBe(later(LINE));
    expect(problems()).toEqual([['bad-timestamp', 2]]);
  });

  it('gives a message away once, however much of it is left out or cannot be read', () => {
    const { damaged, read, problems } = reader({ latestUs: () => TIME_US + HOUR_US });
    const later = LINE.replace(/"stageTimestamp":"\d{4}/, '"stageTimestamp":"2099');
    read([`${later}\n{\n${later}`]);
    expect(damaged.map((message) => message.problems.map(({ reason }) => reason))).toEqual([
      ['cut-line', 'bad-timestamp', 'bad-timestamp'],
    ]);
    expect(problems()).toEqual([
      ['cut-line', 1],
      ['bad-timestamp', 2],
    ]);
  });

  it('takes what lies ahead by exactly as much as it may', () => {
    const { subject, read, problems } = reader({ latestUs: () => TIME_US + 1_000_000 });
    read([LINE]);
    expect(subject.records).toHaveLength(1);
    expect(problems()).toEqual([]);
  });
});
