/** OTLP in files and for people. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Clock, systemClock } from '../../../src/outputs/delivery/clock.js';
import { parsePayload } from '../../../src/outputs/otlp/backlog.js';
import { createOtlpConsoleOutput, createOtlpFileOutput } from '../../../src/outputs/otlp/index.js';
import type { DeliveryReport, OutputBatch } from '../../../src/outputs/output.js';
import { readReceived } from '../../services/collector/received.js';
import { batch, failedRequest, finding, request } from './examples.js';

const NEWS = batch({ requests: [request()], changes: [{ kind: 'opened', finding: finding() }] });

const quick: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal) };

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skewscope-file-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the file output', () => {
  test('writes lines as the file exporter of a collector does, and adds to what is there', async () => {
    const path = join(folder, 'otlp.ndjson');
    for (const _run of [1, 2]) {
      const output = createOtlpFileOutput(path);
      expect(await output.deliver(NEWS)).toMatchObject({ delivered: 4, waiting: [], refused: [] });
      await output.close();
    }
    const { spans, logs } = readReceived(linesOf(path));
    expect([spans.length, logs.length]).toEqual([6, 2]);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(3);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('keeps what it cannot write, says so, and writes it when it can', async () => {
    const path = join(folder, 'missing', 'otlp.ndjson');
    const output = createOtlpFileOutput(path, { ratio: 1 }, { clock: quick });
    const waiting = [{ count: 4, reason: expect.stringContaining('ENOENT'), where: null, failed: true }];
    expect(await output.deliver(NEWS, AbortSignal.timeout(200))).toMatchObject({ delivered: 0, waiting });
    mkdirSync(join(folder, 'missing'));
    expect(await output.deliver(batch({}))).toMatchObject({ delivered: 4, waiting: [] });
    expect(linesOf(path)).toHaveLength(2);
    await output.close();
  });
});

describe('with a spool', () => {
  /** One process. */
  async function processed(path: string, ...batches: OutputBatch[]): Promise<DeliveryReport[]> {
    const output = createOtlpFileOutput(path, { ratio: 1 }, { clock: quick, folder: join(folder, 'spool') });
    const reports: DeliveryReport[] = [];
    for (const one of batches) reports.push(await output.deliver(one, AbortSignal.timeout(2_000)));
    await output.close();
    return reports;
  }

  test('nothing is written twice, however often the same is read', async () => {
    const path = join(folder, 'otlp.ndjson');
    expect(await processed(path, NEWS)).toMatchObject([{ delivered: 4, known: 0, answer: 'written' }]);
    const written = readFileSync(path, 'utf8');
    expect(await processed(path, NEWS, NEWS)).toMatchObject([{ delivered: 0, known: 4 }, { delivered: 0 }]);
    expect(readFileSync(path, 'utf8')).toBe(written);
    expect(await processed(path, batch({ requests: [failedRequest()] }))).toMatchObject([{ delivered: 2 }]);
    expect(readFileSync(path, 'utf8').startsWith(written)).toBe(true);
  });

  test.each([
    ['had written it, and not noted so', 1],
    ['had written a part of it', 0.5],
    ['had written all but the line end', -1],
    ['had written nothing of it', 0],
  ])(
    'a process that was killed when it %s is gone on with as if it had not been',
    async (_, part) => {
      const path = join(folder, 'otlp.ndjson');
      const before = '{"resourceSpans":[]}\n';
      const one = batch({ requests: [request()] });
      // What it kept while the file could not be written is what a killed one leaves.
      mkdirSync(path);
      await processed(path, one);
      rmSync(path, { recursive: true });
      const [segment = ''] = readdirSync(join(folder, 'spool')).filter((name) => /^\d+\.ndjson$/.test(name));
      const kept = parsePayload(readFileSync(join(folder, 'spool', segment), 'utf8').trimEnd());
      const line = `${Buffer.from(kept?.body ?? []).toString('utf8')}\n`;
      expect(line.length).toBeGreaterThan(500);
      const cut = part < 0 ? line.length + part : Math.floor(line.length * part);
      writeFileSync(path, before + line.slice(0, cut));
      expect(await processed(path, one)).toMatchObject([{ delivered: 3, waiting: [] }]);
      expect(readFileSync(path, 'utf8')).toBe(before + line);
      expect(await processed(path, one)).toMatchObject([{ delivered: 0, known: 3 }]);
    },
    15_000,
  );

  test('half a line of something else is ended first', async () => {
    const path = join(folder, 'otlp.ndjson');
    writeFileSync(path, '{"else');
    await processed(path, batch({ requests: [request()] }));
    const [first, second, ...more] = linesOf(path);
    expect(first).toBe('{"else');
    expect(readReceived([second ?? '']).spans).toHaveLength(3);
    expect(more).toEqual([]);
  });
});

describe('the console output', () => {
  test('shows a trace as lines below each other', async () => {
    let text = '';
    const output = createOtlpConsoleOutput((lines) => {
      text += lines;
    });
    await output.deliver({ ...NEWS, requests: [request(), failedRequest()] });
    const lines = text.trimEnd().split('\n');
    const route = 'POST /apis/batch/v1/namespaces/{namespace}/jobs';
    expect(lines).toHaveLength(6);
    expect(lines[0]).toContain(`2026-01-02T03:04:05.000000Z SERVER cp1 ${route} 10.000 ms 201 audit-id=5a7d`);
    expect(lines[1]).toContain(`  CLIENT cp1 ${route}`);
    expect(lines[2]).toContain(`2026-01-02T03:04:05.002000Z     SERVER cp2 ${route} 6.000 ms 201`);
    expect(lines[4]).toContain('error=unknown-authority');
    expect(lines[5]).toContain('critical skewscope.finding cp1 does not trust the serving certificate of cp2');
  });
});
