/** Inputs merged by event time: each in its own order, over all the oldest first. */
import { describe, expect, test } from '@jest/globals';
import { InputReader } from '../../src/analysis/input-reader.js';
import { mergeByTime } from '../../src/analysis/merge.js';
import { survey } from '../../src/analysis/survey.js';
import { MIN, memorySource, memorySources, SEC, server, T0, type TestInput, textOf } from '../correlate/kit.js';

async function merged(inputs: readonly TestInput[], signal?: AbortSignal): Promise<string[]> {
  const surveyed = await survey(memorySources(inputs, 500), undefined);
  const taken: string[] = [];
  const readers = surveyed.map(({ source, input, beginsAt }) => ({ reader: new InputReader(input, source), beginsAt }));
  await mergeByTime(
    readers,
    (record, input) => {
      const at = 'timeUs' in record ? (record.timeUs - T0) / SEC : 'undated';
      taken.push(`${input.name} ${at}`);
    },
    signal,
  );
  return taken;
}

function audit(name: string, seconds: readonly number[]): TestInput {
  const cp = server(name);
  for (const at of seconds) cp.request(T0 + at * SEC, { stages: 'R' });
  return { name, content: textOf(cp.audit) };
}

describe('mergeByTime', () => {
  test('takes the oldest first, and of one time the input whose name comes first', async () => {
    expect(await merged([audit('b', [2, 3, 9]), audit('a', [1, 3, 4])])).toEqual([
      'a 1',
      'b 2',
      'a 3',
      'b 3',
      'a 4',
      'b 9',
    ]);
  });

  test('keeps the order of an input whose times jump back', async () => {
    const first = audit('a', [5, 6]);
    const second = audit('a', [1, 2]);
    expect(await merged([{ name: 'a', content: `${first.content}${second.content}` }])).toEqual([
      'a 5',
      'a 6',
      'a 1',
      'a 2',
    ]);
  });

  test('takes many inputs', async () => {
    const inputs = Array.from({ length: 40 }, (_, at) =>
      audit(`cp${String(at).padStart(2, '0')}`, [40 - at, 100 + at]),
    );
    const times = (await merged(inputs)).map((text) => Number(text.split(' ')[1]));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times).toHaveLength(80);
  });

  test('takes undated records with what stands before them', async () => {
    const leases = JSON.stringify({
      kind: 'LeaseList',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: {},
      items: [{ metadata: { name: server('cp1').identity }, spec: {} }],
    });
    expect((await merged([audit('b', [1]), { name: 'a.json', content: leases }])).length).toBe(2);
  });

  test('stops when it is aborted', async () => {
    expect(await merged([audit('a', [1, 2])], AbortSignal.abort())).toEqual([]);
  });
});

describe('survey', () => {
  test('numbers inputs by name and finds where each begins', async () => {
    const surveyed = await survey(memorySources([audit('b', [2]), audit('a', [5])]), undefined);
    expect(surveyed.map(({ input, beginsAt }) => [input.id, input.name, beginsAt])).toEqual([
      [0, 'a', T0 + 5 * SEC],
      [1, 'b', T0 + 2 * SEC],
    ]);
  });

  test('takes the year of klog text from audit events beside it', async () => {
    const cp1 = server('cp1')
      .says(T0, 'I', 'server.go', 'Version: v1.36.3')
      .request(T0 + MIN);
    const log = { ...memorySource({ name: 'cp1.log', content: textOf(cp1.log) }) };
    const surveyed = await survey(
      [log, memorySource({ name: 'cp1-audit.log', content: textOf(cp1.audit) })],
      undefined,
    );
    const reader = surveyed.find(({ input }) => input.name === 'cp1.log');
    if (reader === undefined) throw new Error('no reader');
    const records = [];
    const input = new InputReader(reader.input, reader.source);
    for (let batch = await input.next(); batch !== undefined; batch = await input.next()) records.push(...batch);
    expect(records).toMatchObject([{ timeUs: T0 }]);
  });
});
