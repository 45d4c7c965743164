import { appendFileSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createNdjson } from '../../../src/outputs/alerts/ndjson/index.js';
import { noticeLine } from '../../../src/outputs/alerts/ndjson/line.js';
import { makeFolder } from '../../sources/folder.js';
import { batch, findings, within } from '../delivery/examples.js';
import { notice } from './examples.js';

let folder: ReturnType<typeof makeFolder>;
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => folder.drop());

const read = (name: string) => readFileSync(`${folder.path}/${name}`, 'utf8');

test('a line has the fields of a change in `watch --format ndjson`, and an id', () => {
  expect(JSON.parse(noticeLine(notice({ counter: 2, kind: 'updated' })))).toMatchObject({
    kind: 'change',
    change: 'updated',
    id: '0123456789abcdef-2',
    at: '2026-01-05T12:00:00.000000Z',
    rule: 'peer-ca-untrusted',
    fingerprint: '0123456789abcdef',
    from: '2026-01-05T03:04:05.000000Z',
  });
  expect(JSON.parse(noticeLine(notice({ scope: 'cause' }, findings(3))))).toMatchObject({
    total: 3,
    findings: [{ server: 'cp0' }, { server: 'cp1' }, { server: 'cp2' }],
  });
});

test('appends to a file, and starts on a line of its own behind half a line', async () => {
  appendFileSync(`${folder.path}/out`, '{"whole":1}\n{"half');
  const output = createNdjson({ target: `${folder.path}/out` });
  await output.deliver(batch('opened', findings(100)), within(5_000));
  await output.close();
  const lines = read('out').split('\n');
  expect(lines.slice(0, 2)).toEqual(['{"whole":1}', '{"half']);
  expect(lines.length).toBe(103);
  for (const line of lines.slice(2, -1)) expect(JSON.parse(line).kind).toBe('change');
});

test('a file that cannot be written is waited for', async () => {
  mkdirSync(`${folder.path}/out`);
  const output = createNdjson({ target: `${folder.path}/out`, delivery: { backoff: { firstMs: 5, maxMs: 10 } } });
  const report = await output.deliver(batch('opened', findings(1)), within(100));
  expect(report.waiting).toMatchObject([{ count: 1, reason: expect.stringContaining('EISDIR') }]);
  rmdirSync(`${folder.path}/out`);
  expect(await output.deliver(batch('opened', []), within(5_000))).toMatchObject({ delivered: 1, waiting: [] });
  await output.close();
});

test('writes to a stream', async () => {
  let text = '';
  const target = async (piece: string) => {
    text += piece;
  };
  const output = createNdjson({ target });
  await output.deliver(batch('opened', findings(2)), within(5_000));
  await output.close();
  expect(text.trim().split('\n').length).toBe(2);
});
