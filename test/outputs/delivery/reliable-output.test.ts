/** Delivery over a sink that does as the test says: order, retries, dead letters, poison, reminders, bounds. */
import { existsSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createReliableOutput, type DeliveryOptions } from '../../../src/outputs/delivery/reliable-output.js';
import type { SendResult } from '../../../src/outputs/delivery/sink.js';
import type { Output } from '../../../src/outputs/output.js';
import { makeFolder } from '../../sources/folder.js';
import { until } from '../../until.js';
import { batch, DELIVERED, FAILED, FakeSink, fastClock, finding, findings, within } from './examples.js';

/** Bytes that are in use, without what only waits to be collected. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

let folder: ReturnType<typeof makeFolder>;
let outputs: Output[];
let messages: string[];
beforeEach(() => {
  folder = makeFolder();
  outputs = [];
  messages = [];
});
afterEach(async () => {
  for (const output of outputs) await output.close();
  folder.drop();
});

function make(sink: FakeSink, over: Partial<DeliveryOptions> = {}): Output {
  const onMessage = (message: string) => messages.push(message);
  const output = createReliableOutput(sink, { folder: `${folder.path}/fake`, clock: fastClock(), onMessage, ...over });
  outputs.push(output);
  return output;
}

const EMPTY = batch('opened', []);

test('delivers in order and says so', async () => {
  const sink = new FakeSink();
  const report = await make(sink).deliver(batch('opened', findings(5)), within(5_000));
  expect(report).toEqual({ delivered: 5, known: 0, waiting: [], refused: [], answer: 'ok' });
  expect(sink.taken.map(({ key }) => key)).toEqual(findings(5).map(({ fingerprint }) => fingerprint));
});

test('what was told before whoever reads began anew is neither told again nor ended by its own past', async () => {
  const sink = new FakeSink();
  const output = make(sink);
  const [gone, held] = findings(2, () => ({ from: 10, to: 20 }));
  if (gone === undefined || held === undefined) throw new Error('two findings');
  const now = { ...held, to: 90 };
  await output.deliver(batch('opened', [gone, held]), within(5_000));
  await output.deliver(batch('resolved', [gone, held], []), within(5_000));
  await output.deliver(batch('opened', [now]), within(5_000));
  const told = sink.taken.length;
  // The older windows are read once more, as after a rebalance.
  await output.deliver({ ...batch('opened', [gone, held]), anew: true }, within(5_000));
  await output.deliver(batch('resolved', [gone, held], []), within(5_000));
  await output.deliver(batch('opened', [now]), within(5_000));
  expect(sink.taken.slice(told).map(({ kind, key }) => `${kind} ${key}`)).toEqual([]);
  await output.deliver(batch('resolved', [now], []), within(5_000));
  expect(sink.taken.slice(told).map(({ kind, key }) => `${kind} ${key}`)).toEqual([`resolved ${held.fingerprint}`]);
});

test('a failure is tried again with the same message until it goes, the others wait behind it', async () => {
  const sink = new FakeSink((_notices, attempt) => (attempt < 7 ? FAILED : DELIVERED));
  const clock = fastClock();
  const report = await make(sink, { clock }).deliver(batch('opened', findings(2)), within(5_000));
  expect(report.delivered).toBe(2);
  expect(new Set(sink.sent.slice(0, 7).map((sent) => JSON.stringify(sent))).size).toBe(1);
  expect(clock.slept.filter((ms) => ms < 10_000)).toEqual([750, 1_500, 3_000, 6_000]);
});

test('a sink that throws, or never answers, has failed', async () => {
  const sink = new FakeSink((_notices, attempt) => {
    if (attempt === 1) throw new TypeError('bug\x1b[2J');
    return attempt === 2 ? new Promise(() => {}) : DELIVERED;
  });
  const output = make(sink, { timeoutMs: 2_000 });
  expect((await output.deliver(batch('opened', findings(1)), within(5_000))).delivered).toBe(1);
  expect(sink.sent.length).toBe(3);
});

test('what waits is told with its reason and place, and goes out later', async () => {
  const sink = new FakeSink(() => ({ ...FAILED, reason: 'down\nfor \x1b[31mgood' }) as SendResult);
  const output = make(sink);
  const report = await output.deliver(batch('opened', findings(3)), within(200));
  expect(report).toMatchObject({
    delivered: 0,
    waiting: [{ count: 3, reason: 'down for \\x1b[31mgood', where: `${folder.path}/fake` }],
  });
  sink.answer = () => DELIVERED;
  expect(await output.deliver(EMPTY, within(20_000))).toMatchObject({ delivered: 3, waiting: [] });
});

test('without a folder, what waits ends with the process, and that is said', async () => {
  const report = await make(new FakeSink(() => FAILED), { folder: null }).deliver(
    batch('opened', findings(2)),
    within(200),
  );
  const triedMs = expect.any(Number);
  expect(report.waiting).toEqual([{ count: 2, reason: 'not now', where: null, triedMs, failed: true }]);
});

describe('what is turned down', () => {
  const refuse = (): SendResult => ({ outcome: 'refused', reason: 'HTTP 400: no' });

  test('is never tried again, and kept with reason, time and payload', async () => {
    const sink = new FakeSink(refuse);
    const output = make(sink);
    const path = `${folder.path}/fake/refused.ndjson`;
    expect(await output.deliver(batch('opened', findings(2)), within(5_000))).toMatchObject({
      delivered: 0,
      waiting: [],
      refused: [{ count: 2, reason: 'HTTP 400: no', where: path }],
    });
    expect(sink.sent.length).toBe(2);
    const letters = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(letters[1]).toMatchObject({
      time: '2026-01-05T12:00:00.000Z',
      output: 'fake',
      reason: 'HTTP 400: no',
      payload: 'payload of 0000000000000001',
      notice: { key: '0000000000000001', counter: 1 },
    });
  });

  test('of several sent together, only the one that is at fault', async () => {
    const sink = new FakeSink((notices) => (notices.some(({ key }) => key.endsWith('3')) ? refuse() : DELIVERED), 10);
    const report = await make(sink).deliver(batch('opened', findings(6)), within(5_000));
    expect(report).toMatchObject({ delivered: 5, refused: [{ count: 1 }] });
    expect(sink.taken.map(({ key }) => key.slice(-1)).join('')).toBe('01245');
  });

  test('without a folder is told as lost', async () => {
    const report = await make(new FakeSink(refuse), { folder: null }).deliver(
      batch('opened', findings(1)),
      within(5_000),
    );
    expect(report.refused).toEqual([{ count: 1, reason: 'HTTP 400: no', where: null }]);
  });
});

describe('one message that the receiver cannot stomach', () => {
  const broken: SendResult = { outcome: 'retry', reason: 'HTTP 500', answered: true };

  test('does not hold up the others for ever', async () => {
    const sink = new FakeSink((notices) => (notices.some(({ key }) => key.endsWith('0')) ? broken : DELIVERED));
    const report = await make(sink).deliver(batch('opened', findings(4)), within(10_000));
    expect(report).toMatchObject({
      delivered: 3,
      waiting: [],
      refused: [{ count: 1, reason: 'failed 4 times while others went through: HTTP 500' }],
    });
  });

  test('is found among many that are sent together', async () => {
    const sink = new FakeSink((notices) => (notices.some(({ key }) => key.endsWith('2')) ? broken : DELIVERED), 10);
    const report = await make(sink).deliver(batch('opened', findings(5)), within(20_000));
    expect(report).toMatchObject({ delivered: 4, waiting: [], refused: [{ count: 1 }] });
  });

  test('a receiver that fails on all of them refuses none', async () => {
    const sink = new FakeSink(() => broken);
    const report = await make(sink).deliver(batch('opened', findings(4)), within(500));
    expect(report).toMatchObject({ delivered: 0, waiting: [{ count: 4 }], refused: [] });
    expect(sink.sent.length).toBeGreaterThan(3);
  });

  test('an unreachable one is no reason to give a message up, until it is a day old', async () => {
    const clock = fastClock();
    const sink = new FakeSink(() => FAILED);
    const output = make(sink, { clock });
    expect((await output.deliver(batch('opened', findings(2)), within(300))).waiting[0]?.count).toBe(2);
    clock.nowMs += 25 * 3_600_000;
    await output.deliver(EMPTY, within(5_000));
    const letters = readFileSync(`${folder.path}/fake/refused.ndjson`, 'utf8').trim().split('\n');
    expect(letters.map((line) => JSON.parse(line).reason)).toEqual(
      Array(2).fill('not delivered for 24 h; at last: not now'),
    );
  });
});

describe('bounds', () => {
  test('a full queue takes no more, says so, and takes it when there is room', async () => {
    const sink = new FakeSink(() => FAILED);
    const output = make(sink, { maxBytes: 64 * 1024, storm: { limit: 10_000, windowMs: 1 } });
    expect((await output.deliver(batch('opened', findings(100)), within(200))).postponed).toBeUndefined();
    const more = batch('opened', findings(200));
    const report = await output.deliver(more, within(200));
    expect(report).toMatchObject({ postponed: true, waiting: [{ count: 100 }] });
    sink.answer = () => DELIVERED;
    await output.deliver(more, within(20_000));
    expect(sink.taken.length).toBe(200);
  });

  test('memory does not grow with what waits on the disk', async () => {
    const sink = new FakeSink(() => FAILED);
    const storm = { limit: 100_000, windowMs: 1 };
    const output = make(sink, { maxBytes: 512 * 2 ** 20, fsync: 'never', storm });
    const text = 'x'.repeat(2_000);
    const before = heapInUse();
    for (let round = 0; round < 10; round++) {
      const big = findings(500, (at) => ({ fingerprint: `${round}-${at}`, meaning: text, cause: text, fix: text }));
      await output.deliver({ ...batch('opened', big), findings: [] }, within(1));
    }
    expect((await output.deliver(EMPTY, within(1))).waiting[0]?.count).toBe(5_000);
    // 5000 messages of 7 KB are 35 MB.
    expect(heapInUse() - before).toBeLessThan(25 * 2 ** 20);
  });
});

describe('reminders', () => {
  test('open incidents are sent again while the run goes on, resolved ones are not', async () => {
    const sink = new FakeSink(() => DELIVERED, 64, 1_000);
    const output = make(sink, { continuous: true });
    await output.deliver(batch('opened', findings(2)), within(5_000));
    await until(() => sink.sent.length >= 4);
    expect(sink.sent[2]?.map(({ counter, kind }) => [counter, kind])).toEqual([
      [1, 'updated'],
      [1, 'updated'],
    ]);
    await output.deliver(batch('resolved', findings(2)), within(5_000));
    const count = sink.sent.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(sink.sent.slice(count).flat()).toEqual([]);
  });

  test('a failing one is told once, and is no loss', async () => {
    const sink = new FakeSink(() => DELIVERED, 64, 1_000);
    const output = make(sink, { continuous: true });
    await output.deliver(batch('opened', [finding()]), within(5_000));
    sink.answer = () => FAILED;
    const count = sink.sent.length;
    await until(() => sink.sent.length >= count + 3);
    expect(messages).toEqual(['fake: open findings cannot be sent again: not now']);
  });
});

describe('after a restart', () => {
  test('nothing is told twice, and what waited is sent', async () => {
    const first = new FakeSink((_notices, attempt) => (attempt < 3 ? DELIVERED : FAILED));
    const output = make(first);
    await output.deliver(batch('opened', findings(4)), within(200));
    await output.close();
    expect(first.closed).toBe(true);
    const second = new FakeSink();
    const report = await make(second).deliver(batch('opened', findings(5)), within(5_000));
    expect(report).toMatchObject({ delivered: 3, known: 2, waiting: [] });
    expect([...first.taken, ...second.taken].map(({ key, counter }) => `${key}-${counter}`)).toEqual(
      findings(5).map(({ fingerprint }) => `${fingerprint}-1`),
    );
  });

  test('what goes on waiting is not counted as told', async () => {
    const output = make(new FakeSink(() => FAILED));
    await output.deliver(batch('opened', findings(3)), within(200));
    expect(await output.deliver(batch('updated', findings(3)), within(200))).toMatchObject({ delivered: 0, known: 0 });
    await output.close();
    const report = await make(new FakeSink(() => FAILED)).deliver(batch('opened', findings(3)), within(200));
    expect(report).toMatchObject({ delivered: 0, known: 0, waiting: [{ count: 3 }] });
  });

  test('what was turned down is not tried again', async () => {
    const first = make(new FakeSink(() => ({ outcome: 'refused', reason: 'no' })));
    await first.deliver(batch('opened', findings(1)), within(5_000));
    await first.close();
    const sink = new FakeSink();
    expect(await make(sink).deliver(batch('opened', findings(1)), within(5_000))).toMatchObject({ known: 1 });
    expect(sink.sent).toEqual([]);
  });

  test('a receiver that has to be reminded hears at once of what is open', async () => {
    const first = make(new FakeSink(() => DELIVERED, 64, 60_000));
    await first.deliver(batch('opened', findings(2)), within(5_000));
    await first.close();
    const sink = new FakeSink(() => DELIVERED, 64, 60_000);
    await make(sink).deliver(batch('opened', findings(2)), within(5_000));
    expect(sink.sent.flat().map(({ key, counter }) => [key, counter])).toEqual(
      findings(2).map(({ fingerprint }) => [fingerprint, 1]),
    );
  });
});

test('closing breaks off what hangs, and what was not sent stays', async () => {
  const output = make(new FakeSink(() => new Promise(() => {})));
  await output.deliver(batch('opened', findings(1)), within(50));
  await output.close();
  await output.close();
  await expect(output.deliver(EMPTY)).rejects.toThrow('fake is closed');
  expect(existsSync(`${folder.path}/fake/0000000001.ndjson`)).toBe(true);
});
