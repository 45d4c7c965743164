/** OTLP in files and for people. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createOtlpConsoleOutput, createOtlpFileOutput } from '../../../src/outputs/otlp/index.js';
import { readReceived } from '../../services/collector/received.js';
import { batch, failedRequest, finding, request } from './examples.js';

const NEWS = batch({ requests: [request()], changes: [{ kind: 'opened', finding: finding() }] });

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
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const { spans, logs } = readReceived(lines);
    expect([spans.length, logs.length]).toEqual([6, 2]);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(3);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('keeps what it cannot write, and says so', async () => {
    const output = createOtlpFileOutput(join(folder, 'missing', 'otlp.ndjson'));
    const waiting = [{ count: 4, reason: expect.stringContaining('ENOENT'), where: null }];
    expect(await output.deliver(NEWS)).toMatchObject({ delivered: 0, waiting });
    expect((await output.deliver(NEWS)).waiting[0]?.count).toBe(8);
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
