import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { assignPartitions, type GroupMember, partitionKey } from '../../src/kafka/assignment.js';

const parts = (count: number, topic = 't') => Array.from({ length: count }, (_, partition) => ({ topic, partition }));
const member = (id: string, more: Partial<GroupMember> = {}): GroupMember => ({
  id,
  topics: new Set(['t']),
  owned: [],
  generation: 0,
  ...more,
});

test('every partition goes to one member, evenly, whatever the order and whatever they had', () => {
  const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 });
  const owned = fc.array(fc.array(fc.nat(19)), { minLength: 5, maxLength: 5 });
  fc.assert(
    fc.property(ids, owned, fc.nat(20), fc.nat(3), (names, had, count, generation) => {
      const members = names.map((id, i) =>
        member(id, {
          owned: (had[i] ?? []).map((partition) => ({ topic: 't', partition })),
          generation: i % (generation + 1),
        }),
      );
      const given = assignPartitions(members, parts(count));
      const sizes = [...given.values()].map((list) => list.length);
      expect([...given.values()].flat().map(partitionKey).sort()).toEqual(parts(count).map(partitionKey).sort());
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      const again = assignPartitions([...members].reverse(), [...parts(count)].reverse());
      expect([...again].sort()).toEqual([...given].sort());
    }),
  );
});

test('who stays keeps what it had, as far as its share goes', () => {
  const [six] = [...assignPartitions([member('a')], parts(6)).values()];
  const after = assignPartitions([member('a', { owned: six ?? [], generation: 1 }), member('b')], parts(6));
  expect(after.get('a')?.map(({ partition }) => partition)).toEqual([0, 1, 2]);
  expect(after.get('b')?.map(({ partition }) => partition)).toEqual([3, 4, 5]);
});

test('of two that claim a partition, the one that read it last has it', () => {
  const given = assignPartitions(
    [member('a', { owned: parts(1), generation: 3 }), member('b', { owned: parts(1), generation: 4 })],
    parts(2),
  );
  expect(given.get('b')).toEqual([{ topic: 't', partition: 0 }]);
});

test('a topic goes only to who wants it', () => {
  const both = new Set(['t', 'u']);
  const given = assignPartitions(
    [member('a'), member('b', { topics: both })],
    [...parts(2), ...parts(2, 'u'), ...parts(2, 'v')],
  );
  expect(given.get('a')?.map(partitionKey)).toEqual(['t/0', 't/1']);
  expect(given.get('b')?.map(partitionKey)).toEqual(['u/0', 'u/1']);
});
