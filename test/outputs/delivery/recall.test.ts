import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createReliableOutput } from '../../../src/outputs/delivery/reliable-output.js';
import type { SendResult } from '../../../src/outputs/delivery/sink.js';
import { NOTHING_RECALLED } from '../../../src/outputs/output.js';
import { makeFolder } from '../../sources/folder.js';
import { batch, DELIVERED, FakeSink, fastClock, finding, findings, within } from './examples.js';

let folder: ReturnType<typeof makeFolder>;
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => folder.drop());

const REFUSED: SendResult = { outcome: 'refused', reason: 'HTTP 401' };

function open(sink: FakeSink) {
  return createReliableOutput(sink, { folder: folder.path, clock: fastClock() });
}

test('what was turned down goes out once its cause is mended, and is not kept any more', async () => {
  const sink = new FakeSink(() => REFUSED);
  const output = open(sink);
  expect((await output.deliver(batch('opened', findings(3)), within(5_000))).refused).toMatchObject([{ count: 3 }]);
  sink.answer = () => DELIVERED;
  expect(await output.recall?.()).toEqual({ ...NOTHING_RECALLED, taken: 3 });
  expect(await output.deliver(batch('opened', []), within(5_000))).toMatchObject({ delivered: 3, refused: [] });
  await output.close();
  expect(sink.taken.map(({ key, counter }) => [key, counter])).toEqual(findings(3).map((one) => [one.fingerprint, 1]));
  expect(readdirSync(folder.path)).toEqual(['notified.ndjson']);
});

test('of each incident the latest state alone, and none that a later one has followed', async () => {
  const [a, b] = findings(2);
  if (a === undefined || b === undefined) throw new Error('two findings');
  const sink = new FakeSink((notices) =>
    notices[0]?.kind === 'resolved' && notices[0].key === a.fingerprint ? DELIVERED : REFUSED,
  );
  const before = open(sink);
  await before.deliver(batch('opened', [a, b]), within(5_000));
  await before.deliver(batch('resolved', [a], [b]), within(5_000));
  await before.deliver(batch('updated', [finding({ ...b, confidence: 'possible' })]), within(5_000));
  await before.close();
  const mended = new FakeSink();
  const after = open(mended);
  expect(await after.recall?.()).toEqual({ ...NOTHING_RECALLED, taken: 1, superseded: 2 });
  await after.deliver(batch('opened', []), within(5_000));
  await after.close();
  expect(mended.taken.map(({ key, counter, kind }) => [key, counter, kind])).toEqual([[b.fingerprint, 2, 'updated']]);
});

test('what is turned down once more is kept once more', async () => {
  const output = open(new FakeSink(() => REFUSED));
  await output.deliver(batch('opened', findings(2)), within(5_000));
  for (let times = 0; times < 2; times++) {
    expect(await output.recall?.()).toMatchObject({ taken: 2 });
    expect((await output.deliver(batch('opened', []), within(5_000))).refused).toMatchObject([
      { count: 2, reason: 'HTTP 401' },
    ]);
  }
  await output.close();
});

test('without a folder there is nothing to recall', async () => {
  const output = createReliableOutput(new FakeSink(), { clock: fastClock() });
  expect(await output.recall?.()).toEqual(NOTHING_RECALLED);
  await output.close();
});
