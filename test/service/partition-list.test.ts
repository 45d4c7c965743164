import { expect, it } from '@jest/globals';
import { listOf, whatIsRead } from '../../src/service/partition-list.js';
import type { Partition } from '../../src/service/partitions.js';

const at = (topic: string, partition: number) => ({ stream: { topic, partition } }) as Partition;

it('a list of partitions is short', () => {
  const all = [at('audit', 0), at('audit', 3), at('audit', 1), at('audit', 2), at('log', 5)];
  expect(listOf(all)).toBe('audit/0 to 3, log/5');
  expect(listOf([])).toBe('');
  expect(whatIsRead(all)).toBe('reads audit/0 to 3, log/5');
  expect(whatIsRead([])).toBe('has no partitions: the group has more members than there are partitions');
});
