import { describe, expect, test } from '@jest/globals';
import type { ProxiedRequest } from '../../../src/model/proxied-request.js';
import { systemClock } from '../../../src/outputs/delivery/clock.js';
import { coalesce, MAX_REQUESTS } from '../../../src/outputs/delivery/coalesce.js';
import { allDelivered, Lanes } from '../../../src/outputs/delivery/lanes.js';
import { createReliableOutput } from '../../../src/outputs/delivery/reliable-output.js';
import {
  type DeliveryReport,
  NOTHING_DELIVERED,
  type Output,
  type OutputBatch,
  type Undelivered,
} from '../../../src/outputs/output.js';
import { batch, DELIVERED, FAILED, FakeSink, fastClock, finding, findings } from './examples.js';

const shape = ({ changes }: OutputBatch) =>
  changes.map(({ kind, finding }) => [kind, finding.fingerprint, finding.count]);

function merged(...batches: OutputBatch[]) {
  return (
    batches.reduce<OutputBatch | undefined>((before, next) => coalesce(before, next).batch, undefined) ??
    batch('opened', [])
  );
}

describe('batches that wait together', () => {
  const at = (count: number) => finding({ fingerprint: 'f', count });

  test.each([
    ['opened and updated', ['opened', 'updated'], [['opened', 'f', 2]]],
    [
      'opened and resolved',
      ['opened', 'resolved'],
      [
        ['opened', 'f', 1],
        ['resolved', 'f', 2],
      ],
    ],
    ['resolved and opened again', ['resolved', 'opened'], [['opened', 'f', 2]]],
    [
      'a long history',
      ['updated', 'resolved', 'opened', 'updated', 'resolved'],
      [
        ['updated', 'f', 4],
        ['resolved', 'f', 5],
      ],
    ],
  ] as const)('%s', (_name, kinds, expected) => {
    expect(shape(merged(...kinds.map((kind, index) => batch(kind, [at(index + 1)]))))).toEqual(expected);
  });

  test.each([
    ['not said', undefined, undefined, undefined],
    ['said once', true, undefined, true],
    ['said last', undefined, true, true],
    ['taken back', true, false, false],
  ])('being the whole truth: %s', (_name, first, second, expected) => {
    const said = (complete: boolean | undefined) => ({
      ...batch('opened', findings(1)),
      ...(complete === undefined ? {} : { complete }),
    });
    expect(merged(said(first), said(second)).complete).toBe(expected);
  });

  test('tell that all began anew, whichever of them says so', () => {
    const [plain, anew] = [batch('opened', findings(1)), { ...batch('opened', findings(1)), anew: true }];
    expect([merged(plain, anew).anew, merged(anew, plain).anew, merged(plain, plain).anew]).toEqual([
      true,
      true,
      undefined,
    ]);
  });

  test('hold what is open now, and all requests up to a bound', () => {
    const request = (auditID: string) => ({ auditID }) as ProxiedRequest;
    const many = Array.from({ length: MAX_REQUESTS }, (_, index) => request(String(index)));
    const first = { ...batch('opened', findings(2)), requests: many };
    const second = { ...batch('opened', [], findings(1)), requests: [request('last')] };
    const { batch: both, dropped } = coalesce(first, second);
    expect(both.findings.length).toBe(1);
    expect(both.changes.length).toBe(2);
    expect([both.requests.length, dropped, both.requests.at(-1)?.auditID]).toEqual([MAX_REQUESTS, 1, 'last']);
  });
});

class FakeOutput implements Output {
  readonly taken: OutputBatch[] = [];
  closed = false;

  constructor(
    readonly name: string,
    readonly take: (batch: OutputBatch, signal: AbortSignal, call: number) => Promise<DeliveryReport> = async () =>
      NOTHING_DELIVERED,
  ) {}

  async deliver(given: OutputBatch, signal: AbortSignal): Promise<DeliveryReport> {
    this.taken.push(given);
    return this.take(given, signal, this.taken.length);
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

const options = { clock: fastClock(), onMessage: () => {}, gatherMs: 1_000 };

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}

describe('lanes', () => {
  test('what comes in quick succession is taken together', async () => {
    const output = new FakeOutput('a');
    const lanes = new Lanes([output], options);
    for (const one of findings(5)) lanes.push(batch('opened', [one]));
    await lanes.finish(10_000);
    expect(output.taken.map(({ changes }) => changes.length)).toEqual([5]);
    expect(output.closed).toBe(true);
  });

  test('each report is heard, with the name of its output', async () => {
    const heard: [string, number][] = [];
    const good = new FakeOutput('good', async ({ changes }) => ({ ...NOTHING_DELIVERED, delivered: changes.length }));
    const onReport = (output: string, { delivered }: DeliveryReport) => heard.push([output, delivered]);
    const lanes = new Lanes([good, new FakeOutput('idle')], { ...options, onReport });
    lanes.push(batch('opened', findings(3)));
    await lanes.finish(10_000);
    expect(heard.sort()).toEqual([
      ['good', 3],
      ['idle', 0],
    ]);
  });

  test('an output that hangs holds up neither the caller nor the others', async () => {
    const hanging = new FakeOutput('hanging', async (_batch, signal) => {
      await aborted(signal);
      return { ...NOTHING_DELIVERED, waiting: [{ count: 1, reason: 'hangs', where: null }] };
    });
    const good = new FakeOutput('good', async ({ changes }) => ({ ...NOTHING_DELIVERED, delivered: changes.length }));
    const lanes = new Lanes([hanging, good], options);
    for (const one of findings(50)) {
      lanes.push(batch('opened', [one]));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const results = await lanes.finish(1_000);
    expect(results).toEqual([
      {
        name: 'hanging',
        delivered: 0,
        known: 0,
        waiting: [{ count: 1, reason: 'hangs', where: null }],
        refused: [],
        spools: true,
      },
      { name: 'good', delivered: 50, known: 0, waiting: [], refused: [], spools: true },
    ]);
    expect(allDelivered(results)).toBe(false);
  });

  test('what was postponed is given again together with what came since', async () => {
    const output = new FakeOutput('full', async ({ changes }, _signal, call) =>
      call === 1 ? { ...NOTHING_DELIVERED, postponed: true } : { ...NOTHING_DELIVERED, delivered: changes.length },
    );
    const lanes = new Lanes([output], options);
    const [a, b] = findings(2);
    if (a === undefined || b === undefined) throw new Error('two findings');
    lanes.push(batch('opened', [a]));
    while (output.taken.length < 1) await new Promise((resolve) => setTimeout(resolve, 2));
    lanes.push(batch('opened', [b], [a, b]));
    const [result] = await lanes.finish(10_000);
    expect(result).toMatchObject({ delivered: 2, waiting: [] });
  });

  test('what was never taken is told as lost', async () => {
    const output = new FakeOutput('full', async () => ({ ...NOTHING_DELIVERED, postponed: true }));
    const lanes = new Lanes([output], options);
    lanes.push(batch('opened', findings(3)));
    const [result] = await lanes.finish(100);
    expect(result?.waiting).toEqual([
      { count: 3, reason: 'what waits has reached its bound (spool.maxBytes)', where: null },
    ]);
  });

  test('a mistake in an output is told at once and comes out at the end; the others go on, and all are closed', async () => {
    const output = new FakeOutput('broken', () => Promise.reject(new TypeError('bug')));
    const good = new FakeOutput('good');
    const messages: string[] = [];
    const lanes = new Lanes([output, good], { ...options, onMessage: (message) => messages.push(message) });
    lanes.push(batch('opened', findings(1)));
    while (messages.length < 1) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(messages).toEqual(['broken: nothing more is sent: TypeError: bug']);
    await expect(lanes.finish(1_000)).rejects.toThrow('bug');
    expect([output.closed, good.closed, good.taken.length]).toEqual([true, true, 1]);
  });

  test('how long a receiver fails is told with its trouble, and is no news by itself', async () => {
    const messages: string[] = [];
    const clock = { ...fastClock(), nowMs: 0 };
    let triedMs = 5_000;
    const output = new FakeOutput('am', async () => {
      triedMs += 60_000;
      return { ...NOTHING_DELIVERED, waiting: [{ count: 2, reason: 'no answer', where: '/spool', triedMs }] };
    });
    const lanes = new Lanes([output], { clock, gatherMs: 10, onMessage: (message) => messages.push(message) });
    for (let calls = 1; calls < 4; calls++) {
      lanes.push(batch('opened', findings(1)));
      while (output.taken.length < calls) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(messages).toEqual(['am: 2 messages waiting, kept in /spool: no answer; tried for 1 min 05 s']);
    expect(lanes.status()[0]?.failure).toMatch(/^no answer; tried for \d+ min \d\d s$/);
    await lanes.finish(1_000);
  });

  test('trouble is told when it comes, once, and its end too', async () => {
    const messages: string[] = [];
    const sink = new FakeSink(() => FAILED);
    const output = createReliableOutput(sink, { clock: systemClock, backoff: { firstMs: 5, maxMs: 10 } });
    const lanes = new Lanes([output], { ...options, onMessage: (message) => messages.push(message) });
    lanes.push(batch('opened', findings(2)));
    while (messages.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    sink.answer = () => DELIVERED;
    const [result] = await lanes.finish(10_000);
    expect(result).toMatchObject({ delivered: 2, waiting: [] });
    expect(messages).toEqual([
      'fake: 2 messages waiting, kept in memory only: not now',
      'fake: everything is delivered again',
    ]);
  });

  test('without anything to do they end at once', async () => {
    const output = new FakeOutput('idle');
    expect(await new Lanes([output], options).finish(10_000)).toEqual([
      { name: 'idle', delivered: 0, known: 0, waiting: [], refused: [], spools: true },
    ]);
    expect(output.taken).toEqual([]);
  });
});

describe('a caller that must lose nothing', () => {
  const request = (auditID: string) => ({ auditID }) as ProxiedRequest;
  const requests = (count: number) => Array.from({ length: count }, (_, at) => request(String(at)));
  const waits = (where: string | null): DeliveryReport => ({
    ...NOTHING_DELIVERED,
    waiting: [{ count: 2, reason: 'HTTP 503', where }],
  });

  test('waits for room, and no request is given up', async () => {
    const gate = new AbortController();
    const output = new FakeOutput('slow', async (_batch, _signal, call) => {
      if (call === 1) await aborted(gate.signal);
      return NOTHING_DELIVERED;
    });
    const lanes = new Lanes([output, new FakeOutput('quick')], { ...options, gatherMs: 0, lossless: true });
    lanes.push(batch('opened', findings(1)));
    while (output.taken.length < 1) await new Promise((resolve) => setTimeout(resolve, 2));
    lanes.push({ ...batch('opened', []), requests: requests(MAX_REQUESTS) });
    expect(lanes.full).toBe(true);
    expect(await lanes.room(AbortSignal.timeout(20))).toBe(false);
    lanes.push({ ...batch('opened', []), requests: [request('last')] });
    gate.abort();
    expect(await lanes.room(AbortSignal.timeout(5_000))).toBe(true);
    expect(lanes.full).toBe(false);
    const [result] = await lanes.finish(5_000);
    expect(result?.refused).toEqual([]);
    expect(output.taken.reduce((sum, taken) => sum + taken.requests.length, 0)).toBe(MAX_REQUESTS + 1);
  });

  test.each<[string, DeliveryReport, boolean]>([
    ['acknowledged', { ...NOTHING_DELIVERED, delivered: 1 }, true],
    ['known', { ...NOTHING_DELIVERED, known: 1 }, true],
    ['kept on the disk', waits('/spool/a'), true],
    ['turned down', { ...NOTHING_DELIVERED, refused: [{ count: 1, reason: 'no', where: '/spool/refused' }] }, true],
    ['kept in memory only', waits(null), false],
    ['not taken', { ...NOTHING_DELIVERED, postponed: true }, false],
  ])('knows when it is safe: %s', async (_case, report, safe) => {
    const output = new FakeOutput('a', async () => report);
    const lanes = new Lanes([output], { ...options, gatherMs: 0 });
    lanes.push(batch('opened', findings(1)));
    expect(await lanes.settled(AbortSignal.timeout(safe ? 5_000 : 60))).toBe(safe);
    expect(output.taken.length).toBeGreaterThan(0);
    await lanes.finish(100);
  });

  test('is told of what was pushed before it asked, not of what came later', async () => {
    let release = () => {};
    const output = new FakeOutput('a', async (_batch, _signal, call) => {
      if (call === 2) await new Promise<void>((resolve) => (release = resolve));
      return NOTHING_DELIVERED;
    });
    const lanes = new Lanes([output], { ...options, gatherMs: 0 });
    expect(await lanes.settled()).toBe(true);
    lanes.push(batch('opened', findings(1)));
    const first = lanes.settled(AbortSignal.timeout(5_000));
    while (output.taken.length < 1) await new Promise((resolve) => setTimeout(resolve, 2));
    lanes.push(batch('opened', findings(1)));
    expect(await first).toBe(true);
    while (output.taken.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    const second = lanes.settled(AbortSignal.timeout(5_000));
    const already = await Promise.race([second, new Promise((resolve) => setTimeout(() => resolve('not yet'), 30))]);
    expect(already).toBe('not yet');
    release();
    expect(await second).toBe(true);
    await lanes.finish(100);
  });

  test('learns later that what was in memory has arrived', async () => {
    const output = new FakeOutput('a', async (_batch, _signal, call) => (call < 3 ? waits(null) : NOTHING_DELIVERED));
    const lanes = new Lanes([output], { ...options, gatherMs: 0 });
    lanes.push(batch('opened', findings(1)));
    expect(await lanes.settled(AbortSignal.timeout(5_000))).toBe(true);
    expect(output.taken.length).toBe(3);
    await lanes.finish(100);
  });

  test('does not wait for a state that the next one replaces', async () => {
    const output = Object.assign(new FakeOutput('metrics', async () => waits(null)), { replaces: true as const });
    const lanes = new Lanes([output], { ...options, gatherMs: 0 });
    lanes.push(batch('opened', findings(1)));
    expect(await lanes.settled(AbortSignal.timeout(1_000))).toBe(true);
    await lanes.finish(100);
  });

  test('hears of an output that sends no more, and of the end', async () => {
    const broken = new Lanes([new FakeOutput('broken', () => Promise.reject(new TypeError('bug')))], options);
    broken.push(batch('opened', findings(1)));
    await expect(broken.settled()).rejects.toThrow('bug');
    expect(broken.status()).toMatchObject([{ failure: 'nothing more is sent: TypeError: bug', isFailing: true }]);
    await expect(broken.finish(100)).rejects.toThrow('bug');
    const waiting = new Lanes([new FakeOutput('waiting', async () => waits(null))], options);
    waiting.push(batch('opened', findings(1)));
    const settled = waiting.settled();
    await waiting.finish(100);
    expect(await settled).toBe(false);
  });

  test('sees how each output fares since the start', async () => {
    const reports: DeliveryReport[] = [
      { ...NOTHING_DELIVERED, delivered: 3, refused: [{ count: 2, reason: 'no', where: null }] },
      { ...NOTHING_DELIVERED, delivered: 1, waiting: waits('/spool').waiting },
    ];
    const output = new FakeOutput('a', async (_batch, _signal, call) => reports[call - 1] ?? waits('/spool'));
    const lanes = new Lanes([output], { ...options, gatherMs: 0 });
    const fine = { name: 'a', delivered: 0, waiting: 0, refused: 0, failure: '', isFailing: false };
    expect(lanes.status()).toEqual([fine]);
    for (const one of findings(2)) {
      lanes.push(batch('opened', [one]));
      await lanes.settled();
    }
    expect(lanes.status()).toEqual([{ ...fine, delivered: 4, waiting: 2, refused: 2, failure: 'HTTP 503' }]);
    await lanes.finish(100);
  });

  test('sees what waits while an output is still at it, and whether its receiver fails', async () => {
    let waiting: Undelivered[] = [];
    const output = Object.assign(new FakeOutput('a', async () => NOTHING_DELIVERED), { waiting: () => waiting });
    const lanes = new Lanes([output], { ...options, gatherMs: 0 });
    const hangs = { count: 4, reason: 'the receiver has not answered yet', where: '/spool' };
    waiting = [
      { ...hangs, triedMs: 4_000 },
      { ...hangs, count: 0, triedMs: 4_000 },
    ];
    const failure = 'the receiver has not answered yet; tried for 4.0 s';
    expect(lanes.status()).toMatchObject([{ waiting: 4, failure, isFailing: false }]);
    waiting = [{ ...hangs, triedMs: 5_000 }];
    expect(lanes.status()).toMatchObject([{ waiting: 4, isFailing: true }]);
    waiting = [{ count: 4, reason: 'HTTP 503', where: null, triedMs: 10, failed: true }];
    expect(lanes.status()).toMatchObject([{ waiting: 4, failure: 'HTTP 503', isFailing: true }]);
    waiting = [];
    expect(lanes.status()).toMatchObject([{ waiting: 0, failure: '', isFailing: false }]);
    await lanes.finish(100);
  });
});
