import { describe, expect, it } from '@jest/globals';
import type { Assigned } from '../../src/kafka/port.js';
import { fromTheBeginning } from '../../src/service/assigning.js';
import { openPartition } from '../../src/service/partition-stream.js';
import { Partitions } from '../../src/service/partitions.js';

const context = {} as never;

function partitionsOf(...assigned: Assigned[]): Partitions {
  const partitions = new Partitions({ pause: () => {}, resume: () => {} }, () => {
    throw new Error('unused');
  });
  const real = new Partitions({ pause: () => {}, resume: () => {} }, (one) =>
    openPartition(one, 0, { ...(context as object), audit: {} } as never),
  );
  if (assigned.length === 0) return partitions;
  real.replace(assigned, 0, context);
  return real;
}

const at = (topic: string, partition: number, more: Partial<Assigned> = {}): Assigned => ({
  topic,
  partition,
  committed: undefined,
  low: 2,
  high: 9,
  begin: 9,
  ...more,
});
const begins = (list: readonly Assigned[]) => list.map(({ begin }) => begin);

describe('partitions that the group gives', () => {
  it('begin where the configuration says when a process is given its first', () => {
    expect(begins(fromTheBeginning(partitionsOf(), [at('audit', 0), at('audit', 1)]))).toEqual([9, 9]);
  });

  it('begin at their beginning when their topic, or they themselves, appear later', () => {
    const known = partitionsOf(at('audit', 0));
    const given = [at('audit', 0), at('audit', 1), at('audit-new', 0)];
    expect(begins(fromTheBeginning(known, given))).toEqual([9, 2, 2]);
  });

  it('that are kept begin where they began, also when that is not committed', () => {
    const known = partitionsOf(at('audit', 0, { begin: 5 }), at('audit', 1, { begin: 1 }), at('audit', 2));
    expect(begins(fromTheBeginning(known, [at('audit', 0), at('audit', 1)]))).toEqual([5, 2]);
  });

  it('begin where another replica read them before, or where the configuration says', () => {
    const known = partitionsOf(at('audit', 0));
    const committed = { topic: 'audit', partition: 1, offset: 7 };
    // A rebalance took partition 0 away: partition 2 may be one that another replica has just begun with.
    const given = [at('audit', 1, { committed, begin: 7 }), at('audit', 2), at('audit-new', 0)];
    expect(begins(fromTheBeginning(known, given))).toEqual([7, 9, 2]);
  });
});
