import { describe, expect, test } from '@jest/globals';
import { CollectorLog } from '../../../src/correlate/harm/collector.js';
import { Controllers } from '../../../src/correlate/harm/controllers.js';
import { Half } from '../../../src/correlate/requests/half.js';
import { Writers } from '../../../src/correlate/writer.js';
import { events, JOBS, refOf, SEC, server, T0 } from '../kit.js';

function take(
  log: CollectorLog,
  steps: readonly (readonly [at: number, verb: 'get' | 'delete', name: string, namespace?: string])[],
) {
  const life = new Writers().of(refOf('cp1.log')).current;
  for (const [at, verb, name, namespace = 'shop'] of steps) {
    const ref = { ...JOBS, name, namespace };
    const [event] = events(
      server('cp1').request(T0 + at * SEC, { stages: 'C', verb, ref, code: verb === 'get' ? 404 : 200 }).audit,
    );
    if (event === undefined) throw new Error('no event');
    log.take(event, life, 1, verb === 'get' ? new Half(event, life, 1) : undefined);
  }
  return log.deletions.map(({ name, lookup }) => `${name} after ${lookup.name}`);
}

describe('CollectorLog', () => {
  test('each deletion is attributed to the newest lookup before it in its namespace', () => {
    const steps = [
      [1, 'get', 'a'],
      [2, 'delete', 'x'],
      [3, 'get', 'b'],
      [4, 'delete', 'y'],
      [4, 'delete', 'z', 'other'],
    ] as const;
    expect(take(new CollectorLog(), steps)).toEqual(['x after a', 'y after b']);
  });

  test('a lookup of a cluster-wide owner stands for every namespace', () => {
    expect(
      take(new CollectorLog(), [
        [1, 'get', 'owner', ''],
        [2, 'delete', 'x'],
      ]),
    ).toEqual(['x after owner']);
  });

  test('is bounded', () => {
    const log = new CollectorLog();
    const steps = Array.from({ length: 5100 }, (_, at) => [at + 1, 'delete', `x${at}`] as const);
    take(log, [[0, 'get', 'owner'], ...steps]);
    expect([log.deletions.length, log.overflow]).toEqual([5000, 100]);
  });
});

describe('Controllers', () => {
  const controllers = new Controllers();

  test.each([
    [
      'kube-controller-manager/v1.36.3 (linux/amd64) kubernetes/0123456/system:serviceaccount:kube-system:generic-garbage-collector',
      '',
      'garbage-collector',
    ],
    [
      'kube-controller-manager/v1.36.3 (linux/amd64) kubernetes/0123456/system:serviceaccount:kube-system:namespace-controller',
      '',
      'namespace-controller',
    ],
    ['other', 'system:serviceaccount:kube-system:generic-garbage-collector', 'garbage-collector'],
    ['other', 'system:serviceaccount:mine:generic-garbage-collector', undefined],
    ['kubectl/v1.36.3', 'alice', undefined],
  ])('%s as %s: %s', (agent, user, expected) => {
    expect(controllers.of(agent, user)).toBe(expected);
    expect(controllers.of(agent, user)).toBe(expected);
  });
});
