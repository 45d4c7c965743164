import { expect, test } from '@jest/globals';
import { partitionFamilies } from '../../src/service/partition-families.js';
import type { PartitionStatus } from '../../src/service/view.js';

const partition = (more: Partial<PartitionStatus>): PartitionStatus => ({
  topic: 'audit',
  partition: 0,
  position: 5,
  committed: 2,
  end: 9,
  eventTimeUs: 1_000_000_000,
  paused: false,
  unreadable: 1,
  unnamed: 7,
  ...more,
});

test('lag is told of what is read here, and of nothing else', () => {
  const nothing = partitionFamilies([], 0);
  expect(nothing.flatMap(({ samples }) => samples)).toEqual([]);
  const values = (one: Partial<PartitionStatus>, nowMs = 1_060_000) =>
    Object.fromEntries(
      partitionFamilies([partition(one)], nowMs).map(({ name, samples }) => [
        name.replace('skewscope_kafka_', ''),
        samples[0] && 'value' in samples[0] ? samples[0].value : undefined,
      ]),
    );
  expect(values({})).toEqual({
    lag_messages: 4,
    lag_seconds: 60,
    uncommitted_messages: 3,
    unreadable_messages: 1,
    unnamed_records: 7,
  });
  // All is read: no lag, however old it is.
  expect(values({ position: 9 })).toMatchObject({ lag_messages: 0, lag_seconds: 0 });
  // An end that is known from an older answer, a clock that is behind.
  expect(values({ position: 12 })).toMatchObject({ lag_messages: 0 });
  expect(values({}, 900_000)).toMatchObject({ lag_seconds: 0 });
  // What is not known is not told.
  expect(values({ committed: null, eventTimeUs: null })).toMatchObject({
    lag_seconds: undefined,
    uncommitted_messages: undefined,
  });
});
