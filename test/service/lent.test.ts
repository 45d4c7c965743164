import { expect, test } from '@jest/globals';
import { toResult } from '../../src/report/index.js';
import { Lent } from '../../src/service/lent.js';
import { MIN, proxied, SEC, server, T0, textOf } from '../correlate/kit.js';
import { feedAll, startEngine } from './engine-kit.js';
import { MemoryKafka } from './memory-kafka.js';
import { batchOf } from './memory-reader.js';

const PLACE = { topic: 'audit', partition: 0, offset: 0 };

function lentBatch() {
  const lent = new Lent();
  let released = 0;
  const batch = { ...batchOf(PLACE, [{ value: Buffer.from('one event') }], 1), release: () => void released++ };
  lent.take(batch);
  return { lent, batch, released: () => released };
}

test('memory goes back when its batch was read and all that was kept of it is let go, once', () => {
  const { lent, batch, released } = lentBatch();
  const [one, two] = [batch.bytes.subarray(0, 3), batch.bytes.subarray(4)];
  expect(lent.keep(one)).toBe(one);
  lent.keep(two);
  lent.letGo(one);
  lent.done(batch);
  expect(released()).toBe(0);
  lent.letGo(two);
  expect(released()).toBe(1);
  lent.letGo(two);
  lent.done(batch);
  expect(released()).toBe(1);
});

test('nothing is known of other memory, and of batches that take none back', () => {
  const { lent, released } = lentBatch();
  const other = Buffer.from('elsewhere');
  expect(lent.keep(other)).toBe(other);
  lent.letGo(other);
  const { release: _, ...plain } = batchOf(PLACE, [{ value: other }], 1);
  lent.take(plain);
  lent.done(plain);
  expect(released()).toBe(0);
});

test('events are read again from memory that was kept for it, however small the batches that came', async () => {
  const cp1 = server('cp1', { version: 'v1.36.2' });
  const cp2 = server('cp2', { version: 'v1.37.0' });
  for (const one of [cp1, cp2]) one.boots(T0);
  for (let at = 1; at <= 200; at += 1) {
    for (const one of [cp1, cp2]) one.request(T0 + MIN + at * SEC, {});
    if (at % 10 === 0) proxied(cp1, cp2, T0 + MIN + at * SEC + SEC / 2);
  }
  // With one stage of each request, nothing makes up for an event that is lost.
  const logs = [cp1, cp2].map(({ audit }) =>
    textOf(audit)
      .split('\n')
      .filter((line) => line.includes('ResponseComplete')),
  );
  // Batches go back, and are overwritten, between the halves of a request, or long after both.
  expect([await requestsOf(logs, 1), await requestsOf(logs, 100_000)]).toEqual([20, 20]);
});

async function requestsOf(logs: readonly (readonly string[])[], limit: number): Promise<number | undefined> {
  const kafka = new MemoryKafka();
  kafka.create('audit', logs.length);
  logs.forEach((lines, partition) => {
    for (const line of lines) kafka.produce('audit', partition, { value: Buffer.from(line) });
  });
  const running = startEngine(kafka);
  await running.consumer.start(running.engine);
  await feedAll(running, limit);
  await running.engine.stop(AbortSignal.timeout(5_000));
  return running.engine.analysis && toResult(running.engine.analysis).proxied.total;
}
