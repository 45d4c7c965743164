import { expect, test } from '@jest/globals';
import { Place } from '../../../src/kafka/kafkajs/place.js';
import type { ConsumerHandlers, MessageBatch } from '../../../src/kafka/port.js';
import { senderReader } from '../../../src/kafka/sender.js';

function placed() {
  const batches: MessageBatch[] = [];
  const ends: number[] = [];
  const handlers: ConsumerHandlers = {
    onBatch: (batch) => void batches.push(batch),
    onEnd: (_, offset) => void ends.push(offset),
    onAssigned: async () => [],
    onRevoked: () => {},
    onCrash: () => {},
  };
  const reader = senderReader({ serverHeaders: [], clusterHeaders: [], key: 'ignore', topic: undefined }, 't');
  const place = new Place('t', 0, reader, handlers);
  return { place, ends, offsets: () => batches.flatMap(({ offsets }) => [...offsets]) };
}

/** Offsets from `from` up to `last`, as fetched from `from`. */
function fetched(from: number, last: number, highWatermark = 100) {
  const messages = Array.from({ length: last - from + 1 }, (_, i) => ({
    offset: String(from + i),
    timestamp: '0',
    key: null,
    value: Buffer.from('x'),
  }));
  return {
    topic: 't',
    partition: 0,
    highWatermark: String(highWatermark),
    messages,
    fetchedOffset: String(from),
    lastOffset: () => String(last),
  };
}

test('takes nothing before it is known where to begin, and then only what goes on from there', () => {
  const { place, offsets } = placed();
  expect(place.take(fetched(0, 3))).toBe('ignored');
  place.begin(4, 100);
  // Left over from before a rebalance: higher, and wholly lower.
  expect(place.take(fetched(8, 9))).toBe('gap');
  expect(place.take(fetched(0, 3))).toBe('gap');
  // It begins lower and reaches further.
  expect(place.take(fetched(2, 6))).toBe('taken');
  place.hand();
  expect(offsets()).toEqual([4, 5, 6]);
  expect(place.position).toBe(7);
});

test('what was taken waits while it is paused', () => {
  const { place, offsets, ends } = placed();
  place.begin(0, 100);
  place.paused = true;
  place.take(fetched(0, 1, 2));
  place.hand();
  expect([offsets(), ends]).toEqual([[], []]);
  place.paused = false;
  place.hand();
  expect([offsets(), ends]).toEqual([[0, 1], [2]]);
});

test('goes over control records to the end, and over a gap only when it comes again', () => {
  const { place, ends } = placed();
  place.begin(5, 100);
  const skipped = (firstOffset: string | null, lastOffset: string) =>
    place.skip({ firstOffset, lastOffset, highWatermark: '11' });
  expect(skipped('3', '4')).toBe('ignored');
  expect(skipped('5', '6')).toBe('taken');
  expect(skipped(null, '7')).toBe('taken');
  expect(skipped('10', '10')).toBe('gap');
  expect(skipped('10', '10')).toBe('taken');
  place.tellEnd();
  expect(ends).toEqual([11]);
});
