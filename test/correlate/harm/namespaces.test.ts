import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { NamespaceLog } from '../../../src/correlate/harm/namespaces.js';
import { ResourceTable } from '../../../src/correlate/resource-table.js';
import { Writers } from '../../../src/correlate/writer.js';
import type { AuditEvent } from '../../../src/model/record.js';
import { events, refOf, SEC, server, T0 } from '../kit.js';

type Step = readonly [
  at: number,
  what: 'create' | 'delete' | 'collect' | 'list' | 'finalize',
  name?: string,
  kind?: string,
];

function eventOf([at, what, name = '', kind = 'jobs']: Step): AuditEvent {
  const ref =
    what === 'finalize'
      ? { resource: 'namespaces', namespace: 'shop', name: 'shop', apiVersion: 'v1', subresource: 'finalize' }
      : { resource: kind, apiGroup: 'batch', apiVersion: 'v1', namespace: 'shop', ...(name === '' ? {} : { name }) };
  const verb = { create: 'create', delete: 'delete', collect: 'deletecollection', list: 'list', finalize: 'update' }[
    what
  ];
  const [event] = events(server('cp1').request(T0 + at * SEC, { stages: 'C', verb, ref }).audit);
  if (event === undefined) throw new Error('no event');
  return event;
}

/** What was left at each end, as the log tells after taking the steps in this order. */
function told(steps: readonly Step[]): string[] {
  const resources = new ResourceTable();
  const log = new NamespaceLog(resources);
  const life = new Writers().of(refOf('cp1.log')).current;
  for (const step of steps) {
    const event = eventOf(step);
    const controller = step[1] === 'create' || step[1] === 'delete' ? undefined : 'namespace-controller';
    log.take(event, life, resources.id(event.resource, event.apiGroup, event.apiVersion), controller);
  }
  return log.finalized
    .map(
      ({ timeUs, left }) =>
        `${Math.floor((timeUs - T0) / SEC)}: ${left
          .map(({ name }) => name)
          .sort()
          .join(' ')}`,
    )
    .sort();
}

const OTHER: Step = [5, 'collect', '', 'cronjobs'];

describe('NamespaceLog', () => {
  test.each<[string, Step[], string[]]>([
    ['an object of a kind that was never collected', [[1, 'create', 'a'], OTHER, [9, 'finalize']], ['9: a']],
    [
      'a kind that was collected',
      [
        [1, 'create', 'a'],
        [5, 'collect'],
        [9, 'finalize'],
      ],
      [],
    ],
    ['a kind that was listed', [[1, 'create', 'a'], OTHER, [6, 'list'], [9, 'finalize']], []],
    ['an object that was deleted', [[1, 'create', 'a'], [2, 'delete', 'a'], OTHER, [9, 'finalize']], []],
    [
      'an object that came back',
      [[1, 'create', 'a'], [2, 'delete', 'a'], [3, 'create', 'a'], OTHER, [9, 'finalize']],
      ['9: a'],
    ],
    [
      'no collection at all: the policy leaves them out',
      [
        [1, 'create', 'a'],
        [9, 'finalize'],
      ],
      [],
    ],
    [
      'an object of the next life of the name',
      [
        [1, 'create', 'a'],
        [5, 'collect'],
        [9, 'finalize'],
        [11, 'create', 'b'],
        [12, 'collect', '', 'cronjobs'],
        [19, 'finalize'],
      ],
      ['19: b'],
    ],
    ['objects made after the end', [OTHER, [9, 'finalize'], [11, 'create', 'a']], []],
  ])('%s', (_, steps, expected) => {
    expect(told(steps)).toEqual(expected);
    expect(told([...steps].reverse())).toEqual(expected);
  });

  test('the order in which records come means nothing', () => {
    const step = fc.tuple(
      fc.integer({ min: 0, max: 20 }),
      fc.constantFrom('create' as const, 'delete' as const, 'collect' as const, 'list' as const, 'finalize' as const),
      fc.constantFrom('a', 'b'),
      fc.constantFrom('jobs', 'cronjobs'),
    );
    const steps = fc.uniqueArray(step, { maxLength: 8, selector: ([at]) => at });
    fc.assert(
      fc.property(steps, fc.infiniteStream(fc.nat()), (list, keys) => {
        const shuffled = list.map((entry) => ({ entry, key: keys.next().value })).sort((a, b) => a.key - b.key);
        expect(told(shuffled.map(({ entry }) => entry))).toEqual(told(list));
      }),
      { numRuns: 60 },
    );
  });

  test('objects that are gone make room for others', () => {
    const steps: Step[] = [];
    for (let at = 0; at < 100; at += 1) steps.push([at, 'create', `job-${at}`], [at, 'delete', `job-${at}`]);
    expect(told([...steps, [200, 'create', 'last'], [201, 'collect', '', 'cronjobs'], [202, 'finalize']])).toEqual([
      '202: last',
    ]);
  });
});
