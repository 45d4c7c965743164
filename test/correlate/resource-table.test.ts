import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ResourceTable } from '../../src/correlate/resource-table.js';

test('the same resource has the same number, and another one another', () => {
  const triple = fc.tuple(fc.string({ minLength: 1 }), fc.string(), fc.string());
  fc.assert(
    fc.property(triple, triple, (a, b) => {
      const table = new ResourceTable();
      expect(table.id(...a)).toBe(table.id(...a));
      expect(table.id(...a) === table.id(...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
    }),
  );
});

test('names are as people write them, and nothing has none', () => {
  const table = new ResourceTable();
  expect(table.name(table.id('jobs', 'batch', 'v1'))).toBe('jobs.batch/v1');
  expect(table.name(table.id('pods', '', 'v1'))).toBe('pods/v1');
  expect([table.id('', '', ''), table.name(0)]).toEqual([0, '']);
});

test('hostile names cannot grow it', () => {
  const table = new ResourceTable();
  for (let at = 0; at < 25_000; at += 1) table.id(`r${at}`, '', 'v1');
  expect(table.name(table.id('one-more', '', 'v1'))).toBe('other/other');
  expect(table.name(table.id('r5', '', 'v1'))).toBe('r5/v1');
});
