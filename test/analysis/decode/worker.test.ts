/** The built program with real threads: the result does not depend on how many decode, and the process ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MIN, proxied, SEC, server, T0, textOf } from '../../correlate/kit.js';

const LIBRARY = new URL('../../../dist/index.js', import.meta.url);
let folder: string;

beforeAll(async () => {
  if (!existsSync(fileURLToPath(LIBRARY))) throw new Error('dist/index.js is missing; run `npm run build` first');
  folder = await mkdtemp(join(tmpdir(), 'skewscope-threads-'));
  const cp1 = server('cp1', { version: 'v1.36.2' });
  const cp2 = server('cp2', { version: 'v1.37.0' });
  cp1.boots(T0);
  cp2.boots(T0);
  for (let at = 1; at < 4000; at += 1) {
    cp1.request(T0 + MIN + at * SEC, { code: at % 50 === 0 ? 404 : 200 });
    cp2.request(T0 + MIN + at * SEC, {});
    if (at % 20 === 0) proxied(cp1, cp2, T0 + MIN + at * SEC + SEC / 2);
  }
  await writeFile(join(folder, 'cp1-audit.log'), textOf(cp1.audit));
  await writeFile(join(folder, 'cp2-audit.log.gz'), gzipSync(`${textOf(cp2.audit)}{"kind":"Event","cut`));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('analyze with threads', () => {
  test('gives the very same result with none, one and two', async () => {
    const [none, one, two] = [await analyzed(0), await analyzed(1), await analyzed(2)];
    expect(one).toEqual(none);
    expect(two).toEqual(none);
    expect(JSON.parse(none.stdout)).toMatchObject({ proxied: 199, records: expect.any(Number) });
    expect(none.code).toBe(0);
  });

  test('ends when it is aborted before its end, and the process with it', async () => {
    const { code, stdout } = await analyzed(1, 'abort');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).records).toBeLessThan(8000);
  });
});

/** A process of its own that is not told to exit: threads that were forgotten would keep it. */
async function analyzed(workers: number, when = 'end'): Promise<{ code: number; stdout: string }> {
  const script = `
    import { analyze, toResult } from ${JSON.stringify(LIBRARY.href)};
    const abort = new AbortController();
    const onProgress = () => ${when === 'abort' ? 'abort.abort()' : 'undefined'};
    const options = { workers: ${workers}, signal: abort.signal, onProgress };
    const { inputs, proxied, ...rest } = toResult(await analyze([${JSON.stringify(folder)}], options));
    const records = inputs.reduce((sum, input) => sum + input.records, 0);
    console.log(JSON.stringify({ records, proxied: proxied.total, inputs, routes: proxied.routes, ...rest }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, stdout };
}
