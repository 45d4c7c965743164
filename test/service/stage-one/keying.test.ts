import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import kafkajs from 'kafkajs';
import { DEFAULT_CLUSTER, partName } from '../../../src/model/analysis.js';
import { partitionOf } from '../../../src/service/stage-one/keying.js';

const partitioner = kafkajs.Partitioners.DefaultPartitioner();

it('chooses the partition that the producers of Kafka choose for the key', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 1_000 }),
      (cluster, count) => {
        const partitionMetadata = Array.from({ length: count }, (_, partitionId) => ({ partitionId, leader: 1 }));
        const key = Buffer.from(cluster);
        const chosen = partitioner({
          topic: 't',
          partitionMetadata: partitionMetadata as never,
          message: { key, value: null },
        });
        return partitionOf(cluster, count) === chosen;
      },
    ),
    { numRuns: 500 },
  );
});

it('has the place of the cluster of their findings for records that name none', () => {
  for (const count of [1, 4, 12, 1_000]) expect(partitionOf('', count)).toBe(partitionOf(DEFAULT_CLUSTER, count));
});

it('has one place for a cluster and for the parts that it turns out to have', () => {
  for (const cluster of ['prod', 'prod-2', '']) {
    const part = partName(cluster || DEFAULT_CLUSTER, 12);
    for (const count of [1, 4, 12, 1_000]) expect(partitionOf(part, count)).toBe(partitionOf(cluster, count));
  }
});
