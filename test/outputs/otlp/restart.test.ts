/** The OTLP output over restarts with one folder: what the receiver has is not sent again, and what it lacks is. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Clock, systemClock } from '../../../src/outputs/delivery/clock.js';
import {
  createOtlpOutput,
  type OtlpOptions,
  type OtlpOutputOptions,
  otlpSettings,
} from '../../../src/outputs/otlp/index.js';
import { type DeliveryReport, NOTHING_RECALLED, type Output, type OutputBatch } from '../../../src/outputs/output.js';
import { analysis, batch, failedRequest, finding, request, side, T0 } from './examples.js';
import { hangs, status, takes, withReceiver } from './receiver.js';

const quick: Clock = {
  now: () => T0 / 1000,
  random: () => 0,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal),
};

const cell = {
  source: 'cp1',
  destination: 'cp2',
  fetches: 1,
  failures: 0,
  lastAt: T0,
  cause: null,
  state: 'ok',
} as const;
/** Five spans, and two records. */
const NEWS = batch({
  requests: [request(), failedRequest()],
  changes: [{ kind: 'opened', finding: finding() }],
  analysis: analysis({ discovery: [cell] }),
});
const ITEMS = 7;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skewscope-otlp-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function output(endpoint: string, changes: Partial<OtlpOutputOptions> = {}, options: OtlpOptions = {}): Output {
  const settings = otlpSettings({ endpoint, timeoutMs: 2_000, ...options }, {});
  return createOtlpOutput(settings, { clock: quick, folder, ...changes });
}

/** One process: opens, takes the batches, and ends. */
async function processed(made: Output, ...batches: OutputBatch[]): Promise<DeliveryReport[]> {
  const reports: DeliveryReport[] = [];
  try {
    for (const one of batches) reports.push(await made.deliver(one, AbortSignal.timeout(5_000)));
  } finally {
    await made.close();
  }
  return reports;
}

test('a finding that went and came again with the same evidence is told each time', () =>
  withReceiver([takes], async (endpoint) => {
    const told = (kind: 'opened' | 'resolved') => batch({ changes: [{ kind, finding: finding() }] });
    const life = [told('opened'), told('resolved'), told('opened')];
    expect((await processed(output(endpoint), ...life)).map(({ delivered }) => delivered)).toEqual([1, 1, 1]);
    expect((await processed(output(endpoint), ...life)).map(({ known }) => known)).toEqual([1, 1, 0]);
  }));

test('everything sent twice, with a restart between, sends nothing new', () =>
  withReceiver([takes], async (endpoint, taken) => {
    expect(await processed(output(endpoint), NEWS)).toMatchObject([{ delivered: ITEMS, known: 0 }]);
    const sent = taken.length;
    expect(await processed(output(endpoint), NEWS, NEWS)).toMatchObject([
      { delivered: 0, known: ITEMS },
      { delivered: 0, known: 0 },
    ]);
    expect(taken).toHaveLength(sent);
  }));

test('within one process too, as after partitions were handed back and forth', () =>
  withReceiver([takes], async (endpoint) => {
    const twice = batch({ requests: [request(), request()] });
    expect(await processed(output(endpoint, { folder: null }), twice, twice)).toMatchObject([
      { delivered: 3, known: 0 },
      { delivered: 0, known: 0 },
    ]);
  }));

test('a request of which more is known is told again', () =>
  withReceiver([takes], async (endpoint) => {
    const open = request({ source: side('cp1', 0, null, null), destination: null });
    await processed(output(endpoint), batch({ requests: [open] }));
    expect(await processed(output(endpoint), batch({ requests: [request()] }))).toMatchObject([{ delivered: 3 }]);
  }));

describe('a finding that is judged at another moment after a restart', () => {
  const at = (kind: 'opened' | 'updated' | 'resolved', s: number, count: number) => {
    const found = finding({ to: T0 + s * 1_000_000, count });
    return batch({ changes: [{ kind, finding: found }] });
  };

  test('is no news until there is newer evidence; what happens then is', () =>
    withReceiver([takes], async (endpoint) => {
      await processed(output(endpoint), at('opened', 1, 1), at('updated', 9, 20));
      const reports = await processed(
        output(endpoint),
        at('opened', 5, 11),
        at('updated', 12, 30),
        at('resolved', 12, 30),
      );
      expect(reports.map(({ delivered, known }) => [delivered, known])).toEqual([
        [0, 1],
        [1, 0],
        [1, 0],
      ]);
      expect(await processed(output(endpoint), at('opened', 20, 1))).toMatchObject([{ delivered: 1 }]);
    }));

  test('is not counted as told while its state only waits', () =>
    withReceiver([hangs], async (endpoint) => {
      const before = output(endpoint);
      await before.deliver(at('opened', 9, 20), AbortSignal.timeout(50));
      await before.close();
      const after = output(endpoint);
      const report = await after.deliver(at('opened', 5, 11), AbortSignal.timeout(50));
      await after.close();
      expect(report).toMatchObject({ delivered: 0, known: 0, waiting: [{ count: 1 }] });
    }));
});

test('a process that dies between the answer and its note sends that message again, and no other', () =>
  withReceiver([takes, hangs, takes], async (endpoint, taken) => {
    const dying = output(endpoint, {}, { timeoutMs: 60_000 });
    const ended = dying.deliver(NEWS, AbortSignal.timeout(5_000));
    while (taken.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    // What the disk holds at that moment: the second message has arrived, and nobody knows.
    const copy = mkdtempSync(join(tmpdir(), 'skewscope-otlp-copy-'));
    cpSync(folder, copy, { recursive: true });
    rmSync(join(copy, 'lock'));
    await dying.close();
    await ended;
    expect(await processed(output(endpoint, { folder: copy }), NEWS)).toMatchObject([{ delivered: 5, known: 2 }]);
    expect(taken.map(({ path }) => path)).toEqual(['/v1/logs', '/v1/traces', '/v1/traces']);
    expect(taken[2]?.body.equals(taken[1]?.body ?? Buffer.alloc(0))).toBe(true);
    expect(readdirSync(copy)).toEqual(['told.bin']);
    rmSync(copy, { recursive: true });
  }));

test('a process that dies after the note and before it has removed the message sends nothing again', () =>
  withReceiver([hangs, takes], async (endpoint, taken) => {
    const first = output(endpoint);
    const ended = first.deliver(NEWS, AbortSignal.timeout(100));
    await ended;
    const [name = ''] = readdirSync(folder).filter((entry) => entry.endsWith('.ndjson'));
    const segment = readFileSync(join(folder, name));
    await first.close();
    await processed(output(endpoint), batch());
    writeFileSync(join(folder, name), segment);
    const sent = taken.length;
    expect(await processed(output(endpoint), NEWS)).toMatchObject([{ delivered: 0, known: ITEMS, waiting: [] }]);
    expect(taken).toHaveLength(sent);
    expect(readdirSync(folder)).toEqual(['told.bin']);
  }));

test('a damaged file costs its tail: the rest is still known', () =>
  withReceiver([takes], async (endpoint) => {
    await processed(output(endpoint), NEWS);
    const path = join(folder, 'told.bin');
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, bytes.length - 9));
    const [report] = await processed(output(endpoint), NEWS);
    // The last request, that reached nobody, has two spans.
    expect(report).toMatchObject({ delivered: 2, known: ITEMS - 2 });
    expect(await processed(output(endpoint), NEWS)).toMatchObject([{ delivered: 0, known: ITEMS }]);
  }));

describe('what is turned down', () => {
  test('is kept with the reason, not sent again by itself, and goes out when it is recalled', () =>
    withReceiver([status(400, {}, 'no'), status(400, {}, 'no'), takes], async (endpoint, taken) => {
      const [refused] = await processed(output(endpoint), NEWS);
      const where = join(folder, 'refused.ndjson');
      expect(refused?.refused).toEqual([{ count: ITEMS, reason: expect.stringMatching(/HTTP 400: no/), where }]);
      expect(await processed(output(endpoint), NEWS)).toMatchObject([{ delivered: 0, known: ITEMS }]);
      const mended = output(endpoint);
      expect(await mended.recall?.()).toEqual({ ...NOTHING_RECALLED, taken: ITEMS });
      expect(await processed(mended, batch())).toMatchObject([{ delivered: ITEMS, refused: [], waiting: [] }]);
      expect(taken.slice(2).map(({ body }) => body.toString('hex'))).toEqual(
        taken.slice(0, 2).map(({ body }) => body.toString('hex')),
      );
      expect(readdirSync(folder)).toEqual(['told.bin']);
    }));

  test('is set aside where its line is damaged', () =>
    withReceiver([takes], async (endpoint) => {
      writeFileSync(join(folder, 'refused.ndjson'), 'half a li\n{"time":"","output":"","reason":"","payload":"{}"}\n');
      const made = output(endpoint);
      const where = join(folder, 'unreadable.ndjson');
      expect(await made.recall?.()).toEqual({ ...NOTHING_RECALLED, unreadable: { count: 2, lines: [1, 2], where } });
      await made.close();
      expect(readFileSync(where, 'utf8')).toMatch(/^half a li\n\{.*\}\n$/);
      expect(readdirSync(folder)).toEqual(['unreadable.ndjson']);
    }));

  test('stays where it is while its signal is switched off', () =>
    withReceiver([status(400, {}, 'no'), status(400, {}, 'no'), takes], async (endpoint) => {
      await processed(output(endpoint), NEWS);
      const made = output(endpoint, {}, { traces: false });
      expect(await made.recall?.()).toEqual({ ...NOTHING_RECALLED, taken: 2, unwanted: 1 });
      await processed(made, batch());
      const again = output(endpoint);
      expect(await again.recall?.()).toEqual({ ...NOTHING_RECALLED, taken: 5 });
      await again.close();
    }));
});

test('what waits for a signal that is switched off now is given up, and that is said', () =>
  withReceiver([takes], async (endpoint, taken) => {
    const before = output('http://127.0.0.1:9');
    await before.deliver(NEWS, AbortSignal.timeout(50));
    await before.close();
    const messages: string[] = [];
    const made = output(endpoint, { onMessage: (message) => messages.push(message) }, { traces: false });
    expect(await processed(made, batch())).toMatchObject([{ delivered: 2, waiting: [], refused: [] }]);
    expect(taken.map(({ path }) => path)).toEqual(['/v1/logs']);
    expect(messages).toEqual([expect.stringMatching(/^otlp .*: 5 waiting spans or log records given up/)]);
  }));
