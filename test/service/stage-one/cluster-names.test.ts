import { expect, it } from '@jest/globals';
import { ClusterNames } from '../../../src/service/stage-one/cluster-names.js';

function notesOf(names: Iterable<string>): string[] {
  const notes: string[] = [];
  const subject = new ClusterNames((text) => notes.push(text));
  for (const name of names) subject.see(name);
  return notes;
}

it('is silent where all records name a cluster, or none does', () => {
  expect(notesOf(['blue', 'green', 'blue'])).toEqual([]);
  expect(notesOf(['', '', ''])).toEqual([]);
});

it('tells by example when only some do, once for each name', () => {
  expect(notesOf(['', 'bl"ue', '', 'bl"ue'])).toEqual([
    expect.stringMatching(/^some records name a cluster \("bl\\"ue"\) and others none/),
  ]);
  expect(notesOf(['blue', 'blue', '', ''])).toHaveLength(1);
});

it('remembers no more names than there can sensibly be', () => {
  const many = Array.from({ length: 5_000 }, (_, at) => `cluster-${at}`);
  expect(notesOf(['', ...many])).toHaveLength(999);
  expect(notesOf([...many, ''])).toEqual([]);
});
