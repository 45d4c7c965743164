/** Metrics of the partitions that this process reads, and of no others: a replica that lost one says nothing of it. */
import type { Family, Sample } from '../outputs/metrics/family.js';
import type { PartitionStatus } from './view.js';

export function partitionFamilies(partitions: readonly PartitionStatus[], nowMs: number): Family[] {
  const samples = (value: (one: PartitionStatus) => number | null): Sample[] =>
    partitions.flatMap((one) => {
      const number = value(one);
      const labels = { topic: one.topic, partition: String(one.partition) };
      return number === null ? [] : [{ labels, value: number }];
    });
  return [
    {
      name: 'skewscope_kafka_lag_messages',
      help: 'Messages of a partition that are not read yet.',
      type: 'gauge',
      unit: '1',
      samples: samples(({ end, position }) => Math.max(0, end - position)),
    },
    {
      name: 'skewscope_kafka_lag_seconds',
      help: 'How far behind the present the event time of a partition is; 0 where everything is read.',
      type: 'gauge',
      unit: 's',
      samples: samples(({ end, position, eventTimeUs }) =>
        position >= end ? 0 : eventTimeUs === null ? null : Math.max(0, nowMs / 1_000 - eventTimeUs / 1_000_000),
      ),
    },
    {
      name: 'skewscope_kafka_uncommitted_messages',
      help: 'Messages that a restart would read again: those of the windows that are open.',
      type: 'gauge',
      unit: '1',
      samples: samples(({ position, committed }) => (committed === null ? null : Math.max(0, position - committed))),
    },
    {
      name: 'skewscope_kafka_unreadable_messages',
      help: 'Messages since the start that could not be read, or not all of them.',
      type: 'counter',
      unit: '1',
      samples: samples(({ unreadable }) => unreadable),
    },
    {
      name: 'skewscope_kafka_unnamed_records',
      help: 'Records since the start that count for no server, for there are too many names of senders to tell them apart.',
      type: 'counter',
      unit: '1',
      samples: samples(({ unnamed }) => unnamed),
    },
  ];
}
