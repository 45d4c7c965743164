/** Which inputs are a server, and which are a part of nobody known. */
import { expect, test } from '@jest/globals';
import { reread } from '../../../src/analysis/input-reader.js';
import { Correlator } from '../../../src/correlate/correlator.js';
import { correlate, events, MIN, MS, queryError, SEC, server, T0, type TestInput, textOf } from '../kit.js';

const UNTIL = T0 + 5 * MIN;

/** cp1 writes so much that parts of its log hold no renewal. */
function parts(): TestInput[] {
  const cp1 = server('cp1').boots(T0, { until: UNTIL });
  for (let at = T0 + 20 * SEC; at < T0 + 40 * SEC; at += 200 * MS) cp1.request(at, { stages: 'C' });
  const lines = [...cp1.audit].sort((a, b) => a.at - b.at);
  return Array.from({ length: Math.ceil(lines.length / 20) }, (_, at) => ({
    name: `q${at}`,
    content: textOf(lines.slice(at * 20, at * 20 + 20)),
  }));
}

const names = (inputs: readonly TestInput[]) => correlate(inputs).servers.map(({ name }) => name);

test('a part of an audit log that tells nobody is no server of its own', () => {
  const inputs = parts();
  const snapshot = correlate(inputs);
  expect(snapshot.servers.map(({ name }) => name)).toEqual(['cp1']);
  expect(snapshot.writers.size).toBeLessThan(inputs.length);
  expect(snapshot.writers.size).toBeGreaterThan(1);
});

test('but it is where its name says whose it is, or nothing tells any server', () => {
  const named = parts().map(({ name, content }) => ({
    name: `cp1-audit-${name.slice(1).padStart(4, '0')}.log`,
    content,
  }));
  expect(correlate(named).writers.size).toBe(named.length);
  expect(names([{ name: 'node-1.log', content: textOf(server('cp1').request(T0).audit) }])).toEqual(['node-1']);
});

test('a server whose policy leaves itself out is one beside others', () => {
  const [cp1, cp2] = [server('cp1').boots(T0, { until: UNTIL }), server('cp2')];
  for (const at of [0, 10, 20, 30, 40]) cp2.request(T0 + at * SEC);
  const inputs = [cp1, cp2].map(({ name, audit }) => ({ name: `${name}-audit.log`, content: textOf(audit) }));
  expect(names(inputs)).toEqual(['cp1', 'cp2']);
});

test('process logs are as many servers as there may be', () => {
  const [cp1, cp2] = [server('cp1').boots(T0, { until: UNTIL }), server('cp2')];
  const log = (name: string, at: number) => {
    const other = server('x');
    queryError(other, cp2, T0 + at * SEC, '/apis', 'discovery request failed with status: 401');
    return { name, content: textOf(other.log) };
  };
  const audit = { name: 'cp1-audit.log', content: textOf(cp1.audit) };
  expect(names([audit, log('q1', 1)])).toContain('q1');
  expect(names([audit, ...[1, 2, 3, 4].map((at) => log(`q${at}`, at))])).not.toContain('q1');
});

test('what nothing names in a partition is no server after its topic, and none beside servers that are told', () => {
  const kafka = (id: number, name: string, writer?: string) =>
    ({ id, name, kind: 'kafka', ...(writer === undefined ? {} : { writer }) }) as const;
  const taken = (inputs: readonly ReturnType<typeof kafka>[]) => {
    const correlator = new Correlator(reread);
    for (const [at, input] of inputs.entries())
      for (let after = 0; after < 5; after += 1)
        for (const event of events(server('x').request(T0 + after * MIN + at * SEC).audit))
          correlator.take(event, input);
    correlator.end();
    return correlator.snapshot().servers.map(({ name }) => name);
  };
  expect(taken([kafka(0, 'dl-in', 'cp1'), kafka(1, 'dl-in/0')])).toEqual(['cp1']);
  expect(taken([kafka(0, 'dl-in/0')])).toEqual(['unknown']);
});
