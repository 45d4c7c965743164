import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { blame, type PeerEdge, type Role } from '../../../src/correlate/snapshot/blame.js';
import type { ServerView } from '../../../src/correlate/snapshot/server-view.js';

const SERVERS = ['a', 'b', 'c', 'd'].map((name) => ({ name, cluster: 'x' }) as ServerView);
const EDGES: PeerEdge[] = SERVERS.flatMap((source) =>
  SERVERS.filter((destination) => destination !== source).map((destination) => ({ source, destination })),
);
/** For each edge: fails, works, or unknown. */
const matrix = fc.array(fc.constantFrom('fails', 'works', 'unknown'), {
  minLength: EDGES.length,
  maxLength: EDGES.length,
});
const preference = fc.constantFrom<Role>('source', 'destination');

function split(states: readonly string[]) {
  return {
    failing: EDGES.filter((_, at) => states[at] === 'fails'),
    healthy: EDGES.filter((_, at) => states[at] === 'works'),
  };
}

function edge(name: string): PeerEdge {
  const found = EDGES.find(({ source, destination }) => `${source.name}${destination.name}` === name);
  if (found === undefined) throw new Error(`no edge ${name}`);
  return found;
}

function told(failing: string[], healthy: string[], preferred: Role): string[] {
  return blame(failing.map(edge), healthy.map(edge), preferred).map(
    ({ server, role, edges, forced }) => `${server.name} as ${role} of ${edges.length}${forced ? '' : ' or another'}`,
  );
}

describe('blame', () => {
  test('every failing edge is blamed exactly once, on one of its own ends', () => {
    fc.assert(
      fc.property(matrix, preference, (states, preferred) => {
        const { failing, healthy } = split(states);
        const blamed = blame(failing, healthy, preferred);
        const edges = blamed.flatMap((entry) => entry.edges);
        expect(edges).toHaveLength(failing.length);
        expect(new Set(edges)).toEqual(new Set(failing));
        for (const { server, role, edges: own } of blamed) for (const one of own) expect(one[role]).toBe(server);
      }),
    );
  });

  test('whose calls work in a role is not at fault in it, while the other end explains the edge', () => {
    fc.assert(
      fc.property(matrix, preference, (states, preferred) => {
        const { failing, healthy } = split(states);
        for (const { server, role, edges } of blame(failing, healthy, preferred)) {
          if (!healthy.some((one) => one[role] === server)) continue;
          const other: Role = role === 'source' ? 'destination' : 'source';
          for (const one of edges) expect(healthy.some((works) => works[other] === one[other])).toBe(true);
        }
      }),
    );
  });

  test('the order of edges means nothing', () => {
    fc.assert(
      fc.property(matrix, preference, (states, preferred) => {
        const { failing, healthy } = split(states);
        const names = (list: readonly PeerEdge[]) =>
          blame(list, healthy, preferred).map(({ server, role, edges, forced }) => [
            server.name,
            role,
            edges.map(({ source, destination }) => source.name + destination.name).sort(),
            forced,
          ]);
        expect(names([...failing].reverse())).toEqual(names(failing));
      }),
    );
  });

  test.each<[string, string[], string[], Role, string[]]>([
    ['one source that reaches nobody', ['ab', 'ac'], ['bc', 'cb'], 'destination', ['a as source of 2']],
    ['one destination that nobody reaches', ['ac', 'bc'], ['ab', 'ba'], 'source', ['c as destination of 2']],
    ['one edge, seen from one side', ['ab'], [], 'source', ['a as source of 1 or another']],
    ['one edge whose source works elsewhere', ['ab'], ['ac'], 'source', ['b as destination of 1']],
    [
      'everything, preferably the sources',
      ['ab', 'ba'],
      [],
      'source',
      ['a as source of 1 or another', 'b as source of 1 or another'],
    ],
    ['an edge between healthy ends', ['ab'], ['ac', 'cb'], 'destination', ['b as destination of 1']],
    ['nothing', [], ['ab'], 'source', []],
  ])('%s', (_, failing, healthy, preferred, expected) => {
    expect(told(failing, healthy, preferred)).toEqual(expected);
  });
});
