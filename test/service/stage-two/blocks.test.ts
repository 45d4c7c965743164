/** What stage two reads from blocks is what it would read from the input itself. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createFastDecoder } from '../../../src/formats/index.js';
import type { MessageBatch, OutgoingMessage, Sender } from '../../../src/kafka/port.js';
import { type InputRef, placeIn } from '../../../src/model/origin.js';
import { type AuditEvent, detachEvent, type Rec } from '../../../src/model/record.js';
import { ServiceInputs } from '../../../src/service/inputs.js';
import type { DamagedMessage, ReaderContext } from '../../../src/service/message-reader.js';
import { openPartition } from '../../../src/service/partition-stream.js';
import type { RecordStream } from '../../../src/service/record-stream.js';
import { partitionOf } from '../../../src/service/stage-one/keying.js';
import { Lane } from '../../../src/service/stage-one/lane.js';
import { Pace } from '../../../src/service/stage-one/pace.js';
import { recordOf, recordText } from '../../../src/service/stage-one/record-json.js';
import { BlockPartition } from '../../../src/service/stage-two/block-partition.js';
import { KeyingCheck } from '../../../src/service/stage-two/keying-check.js';
import { inputsOfRun } from '../../analysis/samples.js';
import { eventText } from '../../formats/audit/arbitraries.js';
import { lineWrappings, objectWrappings, textWrappings } from '../../formats/envelopes/wrappings.js';
import { auditLine } from '../../formats/sample-records.js';
import { batchOf } from '../memory-reader.js';

interface Message {
  readonly value: Buffer;
  readonly sender: Sender;
}

const BETWEEN = { topic: 'between', partitions: 3 };
const PLACE = { topic: 'audit', partition: 7 };

function contextOf(inputs: ServiceInputs, onDamaged: (message: DamagedMessage) => void = () => {}): ReaderContext {
  return { audit: createFastDecoder(), inputs, maxMessageBytes: 1 << 24, currentSlot: () => 0, onDamaged };
}

function assigned(place: { readonly topic: string; readonly partition: number }, high: number) {
  return { ...place, begin: 0, low: 0, high, committed: undefined };
}

/** What correlation sees of a record. */
function seen(record: Rec, input: InputRef) {
  const place = placeIn(input, record.line);
  const { id: _, ...ref } = input;
  if (record.type === 'log') {
    const { type, line, offset, timeUs, severity, file, message, fields, text } = record;
    return { record: { type, line, offset, timeUs, severity, file, message, fields, text }, place, ref };
  }
  if (record.type !== 'audit') return { record, place, ref };
  const { bytes, requestObject, responseObject } = record;
  const { bytes: _bytes, start: _start, end: _end, ...fields } = detachEvent(record);
  const body = isLease(record) && requestObject !== undefined;
  return {
    record: fields,
    place,
    ref,
    bodies: [requestObject !== undefined, responseObject !== undefined],
    lease: body ? bytes.toString('utf8', requestObject.start, requestObject.end) : '',
  };
}

function isLease({ resource, name }: AuditEvent): boolean {
  return resource === 'leases' && name.startsWith('apiserver-');
}

/** Gives all that a stream holds, and what was counted of its inputs. */
function allOf(stream: RecordStream, batch: MessageBatch, inputs: ServiceInputs) {
  stream.push(batch);
  stream.reachedEnd(batch.offsets.length);
  const records: ReturnType<typeof seen>[] = [];
  stream.give(
    { fromUs: Number.NEGATIVE_INFINITY, untilUs: Number.POSITIVE_INFINITY },
    Number.POSITIVE_INFINITY,
    (record, input) => {
      records.push(seen(record, input));
      return 0;
    },
  );
  expect(stream.isAtEnd).toBe(true);
  const accounts = inputs.accounts(0).map(({ input: { id: _, ...ref }, ...counts }) => ({ ...counts, ref }));
  return { records, accounts: accounts.sort((a, b) => (JSON.stringify(a.ref) < JSON.stringify(b.ref) ? -1 : 1)) };
}

function direct(messages: readonly Message[]) {
  const inputs = new ServiceInputs('here');
  const batch = batchOf({ ...PLACE, offset: 0 }, messages, messages.length);
  return allOf(openPartition(assigned(PLACE, messages.length), 0, contextOf(inputs)), batch, inputs);
}

/** All messages that stage one makes of these. */
async function blocksOf(messages: readonly Message[], limit: number): Promise<OutgoingMessage[]> {
  const blocks: OutgoingMessage[] = [];
  const producer = {
    async send(sendings: readonly { readonly messages: readonly OutgoingMessage[] }[]) {
      for (const sending of sendings) blocks.push(...sending.messages);
      return true;
    },
    async close() {},
  };
  const inputs = new ServiceInputs('here');
  const context = contextOf(inputs, (message) => lane.bury(message));
  const stream = openPartition(assigned(PLACE, messages.length), 0, context);
  const options = {
    ...BETWEEN,
    deadLetters: undefined,
    sendBytes: 1 << 20,
    lingerMs: 0,
    pace: new Pace(),
    inputs,
    onCluster: () => {},
  };
  const lane = new Lane({ stream, begin: 0, committed: 0, deadBelow: 0 }, producer, { us: null, end: false }, options);
  stream.push(batchOf({ ...PLACE, offset: 0 }, messages, messages.length));
  for (let given = 1; given > 0; ) {
    given = stream.give({ fromUs: Number.NEGATIVE_INFINITY, untilUs: Number.POSITIVE_INFINITY }, limit, lane.take);
    lane.flush(0, true);
    await lane.sending;
  }
  return blocks;
}

async function through(messages: readonly Message[], limit: number) {
  const blocks = await blocksOf(messages, limit);
  const inputs = new ServiceInputs('here');
  const told: string[] = [];
  const options = {
    keying: new KeyingCheck(BETWEEN, (text) => told.push(text)),
    now: () => 0,
    onNote: (text: string) => told.push(text),
    allQueued: () => 0,
    places: () => [],
    stallMs: 1_000,
  };
  const all = [...Array(BETWEEN.partitions).keys()].map((partition) => {
    const own = blocks.filter((block) => block.partition === partition);
    const place = { topic: BETWEEN.topic, partition };
    const stream = new BlockPartition(assigned(place, own.length), 0, contextOf(inputs), options);
    const { records } = allOf(stream, batchOf({ ...place, offset: 0 }, own, own.length), new ServiceInputs(undefined));
    expect(stream.ledger.position).toBe(own.length);
    for (const block of own) expect(partitionOf(String(block.key), BETWEEN.partitions)).toBe(partition);
    return records;
  });
  expect(told).toEqual([]);
  const accounts = inputs.accounts(0).map(({ input: { id: _, ...ref }, ...counts }) => ({ ...counts, ref }));
  return {
    records: all.flat(),
    accounts: accounts.sort((a, b) => (JSON.stringify(a.ref) < JSON.stringify(b.ref) ? -1 : 1)),
  };
}

/** Records of different clusters are in different partitions: the order that counts is that of each. */
function byInput({ records, accounts }: ReturnType<typeof direct>) {
  const inputs = new Map<string, unknown[]>();
  for (const { ref, ...one } of records) {
    const key = JSON.stringify(ref);
    inputs.set(key, [...(inputs.get(key) ?? []), one]);
  }
  return { records: Object.fromEntries([...inputs].sort(([a], [b]) => (a < b ? -1 : 1))), accounts };
}

const KLOG = 'E0501 10:00:00.000001       1 a.go:1] "m" err=<\n\tx\n >';
/** The year of klog text comes from it; the run is of that year. */
const WRITTEN_MS = Date.UTC(2026, 11, 1);

const wrappings = [...lineWrappings, ...textWrappings, ...objectWrappings];
const body = { spec: { replicas: 3, note: 'a body that is long enough to be left out' } };
const event = fc
  .tuple(fc.nat(99), fc.constantFrom({}, { requestObject: body }, { responseObject: body, requestObject: 'short' }))
  .map(([id, more]) => auditLine(`a-${id}`, more));
const value = fc.oneof(
  { arbitrary: event.map((text) => Buffer.from(text)), weight: 4 },
  eventText.map((text) => Buffer.from(text)),
  fc.tuple(fc.constantFrom(...wrappings), event).map(([{ wrap }, text]) => Buffer.from(wrap(text))),
  fc.array(event, { maxLength: 3 }).map((items) => Buffer.from(`{"kind":"EventList","items":[${items.join(',')}]}`)),
  fc.array(event, { maxLength: 3 }).map((items) => Buffer.from(items.join('\n'))),
  event.map((text) => gzipSync(text)),
  fc
    .constantFrom(KLOG, '', 'x', '\0\0', '{"ts":1,"msg":"m"}', 'up{a="b"} NaN\ndown{} -Inf\nzero -0\n', '{"kind":')
    .map((text) => Buffer.from(text)),
);
const sender = fc.record({ server: fc.constantFrom('', 'cp1', 'cp2', 'ü"\n'), cluster: fc.constantFrom('', 'a', 'b') });

describe('blocks', () => {
  it('hold what the messages held, whatever they were, with their places and what was counted of them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ value, sender }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 20 }),
        async (messages, limit) => {
          expect(byInput(await through(messages, limit))).toEqual(byInput(direct(messages)));
        },
      ),
    );
  });

  it('hold every record of a recorded run', async () => {
    const inputs = inputsOfRun('gc-harm');
    expect(inputs.length).toBeGreaterThan(5);
    for (const { name, content } of inputs) {
      const parts = name.endsWith('.log') && name.includes('audit') ? content.split('\n') : [content];
      const messages = parts.map((text) => ({
        value: Buffer.from(text),
        sender: { server: name, cluster: '' },
        timestampMs: WRITTEN_MS,
      }));
      const told = direct(messages);
      expect(told.records.length).toBeGreaterThan(0);
      expect(byInput(await through(messages, 500))).toEqual(byInput(told));
    }
  });

  it('are much smaller than events with bodies', async () => {
    const big = auditLine('a', {
      requestObject: { data: 'x'.repeat(50_000) },
      responseObject: { data: 'y'.repeat(50_000) },
    });
    const blocks = await blocksOf([{ value: Buffer.from(big), sender: { server: '', cluster: '' } }], 10);
    expect(blocks.length).toBe(1);
    expect(blocks[0]?.value.length).toBeLessThan(2_000);
  });
});

describe('records as JSON', () => {
  const places = { line: 3, offset: 4 };
  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0, 1e300, 5e-324])(
    'keep the number %p',
    (number) => {
      const record = {
        type: 'metric',
        ...places,
        name: 'n',
        labels: new Map([['__proto__', 'x']]),
        value: number,
      } as const;
      expect(recordOf(recordText(record), 3, 4)).toEqual(record);
    },
  );

  it.each(['', 'null', '[]', '{', '{"record":null}', '{"record":{"type":"audit"}}', '{"record":{"type":"none"}}'])(
    'are none in %s',
    (text) => {
      expect(recordOf(text, 1, 1)).toBeUndefined();
    },
  );
});
