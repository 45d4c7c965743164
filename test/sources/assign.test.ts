import { expect, test } from '@jest/globals';
import { assignSources } from '../../src/sources/assign.js';
import type { Source } from '../../src/sources/source.js';

function source(name: string): Source {
  return {
    input: { name, kind: 'file', yearHintUs: 7 },
    bytes: 1,
    live: false,
    async *open() {
      yield Buffer.from(name);
    },
  };
}

test('puts server and cluster on the inputs that a glob names, by path or file name', async () => {
  const { sources, unused, contested } = assignSources(
    [source('logs/cp1/audit.log'), source('logs/x/cp2-audit.log'), source('-')],
    [
      { name: 'one', glob: 'logs/cp1/*' },
      { name: 'two', glob: 'cp2-*' },
      { name: 'nobody', glob: 'cp3-*' },
    ],
    'prod',
  );
  expect(sources.map(({ input }) => [input.server, input.cluster, input.yearHintUs])).toEqual([
    ['one', 'prod', 7],
    ['two', 'prod', 7],
    [undefined, 'prod', 7],
  ]);
  expect(unused).toEqual([{ name: 'nobody', glob: 'cp3-*' }]);
  expect(contested).toEqual([]);
  for await (const chunk of sources[0]?.open() ?? []) expect(chunk.toString()).toBe('logs/cp1/audit.log');
});

test('an input that two servers claim is told, and the same server twice is no dispute', () => {
  const globs = [
    { name: 'one', glob: '*' },
    { name: 'one', glob: 'a*' },
    { name: 'two', glob: 'a.log' },
  ];
  expect(assignSources([source('a.log')], globs).contested).toEqual([{ input: 'a.log', names: ['one', 'two'] }]);
  expect(assignSources([source('b.log')], globs).contested).toEqual([]);
});
