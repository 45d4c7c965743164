import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import kafkajs from 'kafkajs';
import { partitionOf } from '../../../src/service/stage-one/keying.js';

const partitioner = kafkajs.Partitioners.DefaultPartitioner();

it('chooses the partition that the producers of Kafka choose for the key', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.integer({ min: 1, max: 1_000 }),
      (cluster, count) => {
        const partitionMetadata = Array.from({ length: count }, (_, partitionId) => ({ partitionId, leader: 1 }));
        const key = Buffer.from(cluster);
        // An empty key is none to kafkajs, which deals such messages out in turn.
        if (key.length === 0) return partitionOf(cluster, count) < count;
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

it('has a place for records that name no cluster', () => {
  expect(partitionOf('', 12)).toBe(partitionOf('', 12));
  expect(partitionOf('', 1)).toBe(0);
});
