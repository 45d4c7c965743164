/** The built program, killed while it sends and started again: at most one message twice, and then with the same identity. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { makeFolder } from '../../sources/folder.js';
import { answer, HANG, Receiver } from './receiver.js';

const WORDS = fileURLToPath(new URL('../../cli/process/word-main.mjs', import.meta.url));

let folder: ReturnType<typeof makeFolder>;
let receiver: Receiver;
let hook: string;
beforeEach(async () => {
  folder = makeFolder({ 'bad.log': 'critical '.repeat(6), 'short.yaml': 'outputs: {deadline: 500ms}' });
  receiver = await Receiver.start();
  hook = receiver.url;
});
afterEach(async () => {
  await receiver.stop();
  folder.drop();
});

function start(more: readonly string[] = []): ChildProcess {
  const args = ['analyze', 'bad.log', '--format', 'json', '-o', 'out', '--spool', 'spool', '--webhook-url', hook];
  return spawn(process.execPath, [WORDS, ...args, ...more], { cwd: folder.path, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function run(more: readonly string[] = []): Promise<{ code: number | null; stderr: string }> {
  const child = start(more);
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stderr };
}

const ids = () => receiver.requests.map(({ body }) => JSON.parse(body).id as string);
const ALL = Array.from({ length: 6 }, (_, at) => `${at}-1`);

describe('killed', () => {
  test.each([1, 2, 4, 6])('while message %d is on its way', async (nth) => {
    receiver.behaviour = (request, response, count) => (count < nth ? answer(200) : HANG)(request, response, count);
    const child = start();
    const ended = new Promise((resolve) => child.on('close', resolve));
    while (receiver.requests.length < nth) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGKILL');
    await ended;
    expect(ids()).toEqual(ALL.slice(0, nth));
    receiver.behaviour = answer(200);
    expect((await run()).code).toBe(1);
    // The one that was on its way may have arrived: it comes again as the same event.
    expect(ids()).toEqual([...ALL.slice(0, nth), ...ALL.slice(nth - 1)]);
    const [first, second] = receiver.requests.filter(({ body }) => JSON.parse(body).id === `${nth - 1}-1`);
    expect(second?.body).toBe(first?.body);
    await run();
    expect(receiver.requests.length).toBe(7);
  });
});

test('after a clean end nothing is sent again', async () => {
  const first = await run();
  expect(first).toMatchObject({ code: 1, stderr: expect.stringContaining('6 delivered') });
  const second = await run();
  expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('6 sent or turned down before') });
  expect(ids()).toEqual(ALL);
});

test('what could not be sent makes an exit code of its own, and goes out with the next run', async () => {
  const { port } = receiver;
  await receiver.stop();
  const failed = await run(['--config', 'short.yaml']);
  expect(failed.code).toBe(4);
  expect(failed.stderr).toContain(
    `webhook 127.0.0.1:${port}: not delivered: 6 messages waiting, kept in ${folder.path}/spool/webhook: connection refused`,
  );
  expect(readFileSync(`${folder.path}/spool/webhook/0000000001.ndjson`, 'utf8').split('\n').length).toBe(7);
  receiver = await Receiver.start(answer(200), port);
  // What waited from before is delivered now, and was not before.
  const again = await run();
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining(': 6 delivered\n') });
  expect(ids()).toEqual(ALL);
});
