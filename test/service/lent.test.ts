import { expect, test } from '@jest/globals';
import { Lent } from '../../src/service/lent.js';
import { batchOf } from './memory-kafka.js';

function lentBatch() {
  const lent = new Lent();
  let released = 0;
  const place = { topic: 'audit', partition: 0, offset: 0 };
  const batch = { ...batchOf(place, [{ value: Buffer.from('one event') }], 1), release: () => void released++ };
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
  const { lent, batch, released } = lentBatch();
  const other = Buffer.from('elsewhere');
  expect(lent.keep(other)).toBe(other);
  lent.letGo(other);
  const { release: _, ...plain } = batchOf(batch, [{ value: other }], 1);
  lent.take(plain);
  lent.done(plain);
  expect(released()).toBe(0);
});
