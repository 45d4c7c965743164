/** Receivers at their worst, over real HTTP: no finding is lost, memory stays bounded, and the report says what waits where. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createAlertmanager } from '../../../src/outputs/alerts/alertmanager/index.js';
import { createWebhook } from '../../../src/outputs/alerts/webhook/index.js';
import { systemClock } from '../../../src/outputs/delivery/clock.js';
import type { Output } from '../../../src/outputs/output.js';
import { makeFolder } from '../../sources/folder.js';
import { batch, findings, within } from './examples.js';
import * as receivers from './receiver.js';
import { answer, Receiver } from './receiver.js';

let folder: ReturnType<typeof makeFolder>;
let receiver: Receiver;
let output: Output | undefined;
beforeEach(async () => {
  folder = makeFolder();
  receiver = await Receiver.start();
});
afterEach(async () => {
  await output?.close();
  await receiver.stop();
  folder.drop();
});

const COUNT = 5;
const FINDINGS = findings(COUNT);
const EMPTY = batch('opened', []);

function start(path: string | null = `${folder.path}/hook`): Output {
  output = createWebhook({
    target: { url: `${receiver.url}/hook` },
    delivery: { folder: path, timeoutMs: 150, backoff: { firstMs: 10, maxMs: 40 }, clock: systemClock },
  });
  return output;
}

/** Ids of the events that were answered with 200. */
function acceptEverything(): string[] {
  const ids: string[] = [];
  receiver.behaviour = (request, response, count) => {
    ids.push(JSON.parse(request.body).id);
    answer(200)(request, response, count);
  };
  return ids;
}

const ALL = FINDINGS.map(({ fingerprint }) => `${fingerprint}-1`);

describe('while it fails everything waits, told with reason and place; when it recovers everything arrives once', () => {
  test.each([
    ['hangs', receivers.HANG, 'no answer within 0.15 s'],
    ['hangs in the middle of its answer', receivers.HANG_IN_BODY, 'no answer within 0.15 s'],
    ['closes the connection', receivers.CLOSE, 'the connection was closed before the answer was complete'],
    ['dies halfway', receivers.CLOSE_HALFWAY, 'the connection was closed before the answer was complete'],
    ['answers garbage', receivers.GARBAGE, 'its answer is no HTTP'],
    ['answers with a huge header', receivers.HUGE_HEADER, 'the header of its answer is too large'],
    ['answers 408', answer(408), 'HTTP 408'],
    ['answers 429', answer(429, 'slow down'), 'HTTP 429: slow down'],
    ['answers 500', answer(500, 'Oops \u001b[2J'), 'HTTP 500: Oops \\x1b[2J'],
    ['answers 503', answer(503), 'HTTP 503'],
  ])('%s', async (_name, behaviour, reason) => {
    receiver.behaviour = behaviour;
    const down = await start().deliver(batch('opened', FINDINGS), within(500));
    expect(down).toMatchObject({ delivered: 0, refused: [] });
    const triedMs = expect.any(Number);
    expect(down.waiting).toEqual([{ count: COUNT, reason, where: `${folder.path}/hook`, triedMs, failed: true }]);
    const ids = acceptEverything();
    expect(await output?.deliver(EMPTY, within(5_000))).toMatchObject({ delivered: COUNT, waiting: [], refused: [] });
    // One may overtake another when the receiver recovers while it is asked whether it fails on that one alone.
    expect([...ids].sort()).toEqual(ALL);
  });

  test('has not answered yet when it is asked about', async () => {
    receiver.behaviour = receivers.HANG;
    const down = await start().deliver(batch('opened', FINDINGS), within(60));
    const [waiting] = down.waiting;
    expect(waiting).toMatchObject({ count: COUNT, reason: 'the receiver has not answered yet' });
    expect(waiting?.triedMs).toBeGreaterThan(0);
    acceptEverything();
    expect(await output?.deliver(EMPTY, within(5_000))).toMatchObject({ delivered: COUNT, waiting: [] });
  });

  test('how long it has been tried goes on over failures and ends with the first success', async () => {
    receiver.behaviour = receivers.HANG;
    await start().deliver(batch('opened', FINDINGS), within(400));
    const [later] = (await output?.deliver(EMPTY, within(100)))?.waiting ?? [];
    expect(later?.triedMs).toBeGreaterThan(400);
    acceptEverything();
    expect(await output?.deliver(EMPTY, within(5_000))).toMatchObject({ delivered: COUNT, waiting: [] });
    receiver.behaviour = receivers.HANG;
    const again = await output?.deliver(batch('resolved', FINDINGS), within(60));
    expect(again?.waiting[0]?.triedMs).toBeLessThan(300);
  });

  test('is not there at all', async () => {
    const { port } = receiver;
    start();
    await receiver.stop();
    const down = await output?.deliver(batch('opened', FINDINGS), within(300));
    expect(down?.waiting).toMatchObject([{ count: COUNT, reason: expect.stringContaining('connection refused') }]);
    receiver = await Receiver.start(answer(200), port);
    const ids = acceptEverything();
    expect(await output?.deliver(EMPTY, within(5_000))).toMatchObject({ delivered: COUNT, waiting: [] });
    expect(ids).toEqual(ALL);
  });

  test('sends without an end', async () => {
    receiver.behaviour = receivers.HUGE;
    const before = process.memoryUsage().rss;
    const down = await start().deliver(batch('opened', FINDINGS), within(1_000));
    expect(down.waiting).toMatchObject([{ count: COUNT, reason: expect.stringMatching(/^HTTP 500: x+…?$/) }]);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
    acceptEverything();
    expect(await output?.deliver(EMPTY, within(5_000))).toMatchObject({ delivered: COUNT });
  });
});

test('every kind of failure in turn: all arrives, in order, each accepted once', async () => {
  const bad = [
    answer(500),
    receivers.CLOSE,
    receivers.GARBAGE,
    answer(429, '', { 'retry-after': '0' }),
    receivers.CLOSE_HALFWAY,
    receivers.HANG,
  ];
  const accepted: string[] = [];
  receiver.behaviour = (request, response, count) => {
    const next = count % 4 === 0 ? undefined : bad[Math.floor(count / 2) % bad.length];
    if (next !== undefined) return next(request, response, count);
    accepted.push(JSON.parse(request.body).id);
    answer(200)(request, response, count);
  };
  const report = await start().deliver(batch('opened', FINDINGS), within(20_000));
  expect(report).toMatchObject({ delivered: COUNT, waiting: [], refused: [] });
  expect(accepted).toEqual(ALL);
});

test('Retry-After is obeyed', async () => {
  receiver.behaviour = answer(429, '', { 'retry-after': '1' });
  const down = await start().deliver(batch('opened', FINDINGS.slice(0, 1)), within(500));
  expect(down.waiting[0]?.reason).toBe('HTTP 429 (asks to wait 1 s)');
  expect(receiver.requests.length).toBe(1);
  acceptEverything();
  const started = Date.now();
  expect(await output?.deliver(EMPTY, within(5_000))).toMatchObject({ delivered: 1 });
  expect(Date.now() - started).toBeGreaterThan(300);
  expect(receiver.requests.length).toBe(2);
});

describe('what is turned down is kept with its reason and not tried again', () => {
  test.each([
    [
      'redirects',
      answer(302, '', { location: 'http://127.0.0.1:1/' }),
      'HTTP 302; redirects are not followed, give the final URL',
    ],
    ['answers 400', answer(400, 'bad'), 'HTTP 400: bad'],
    ['answers 401', answer(401), 'HTTP 401; the credentials are missing or wrong'],
    ['answers 413', answer(413), 'HTTP 413'],
  ])('%s', async (_name, behaviour, reason) => {
    receiver.behaviour = behaviour;
    const path = `${folder.path}/hook/refused.ndjson`;
    const report = await start().deliver(batch('opened', FINDINGS), within(5_000));
    expect(report).toMatchObject({ delivered: 0, waiting: [], refused: [{ count: COUNT, reason, where: path }] });
    expect(receiver.requests.length).toBe(COUNT);
    const kept = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(JSON.parse(line).payload).id);
    expect(kept).toEqual(ALL);
  });
});

describe('of two replicas, one that hangs', () => {
  let other: Receiver;
  beforeEach(async () => {
    other = await Receiver.start();
    receiver.behaviour = receivers.HANG;
    output = createAlertmanager({
      targets: [{ url: receiver.url }, { url: other.url }],
      delivery: { folder: null, timeoutMs: 150, backoff: { firstMs: 10, maxMs: 40 } },
    });
  });
  afterEach(() => other.stop());

  test('holds up nothing when the other took it', async () => {
    expect(await output?.deliver(batch('opened', FINDINGS), within(5_000))).toMatchObject({
      delivered: COUNT,
      waiting: [],
      answer: `127.0.0.1:${receiver.port}: no answer within 0.15 s; 127.0.0.1:${other.port}: HTTP 200`,
    });
  });

  test('is told from the other when that fails otherwise', async () => {
    other.behaviour = answer(503);
    const report = await output?.deliver(batch('opened', FINDINGS), within(600));
    expect(report?.waiting).toMatchObject([
      { reason: `127.0.0.1:${receiver.port}: no answer within 0.15 s; 127.0.0.1:${other.port}: HTTP 503` },
    ]);
  });
});
