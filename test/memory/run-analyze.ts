/** Runs `skewscope analyze` as a process of its own on generated audit logs, and tells how much memory it took at most. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GENERATE = join(ROOT, 'bench/generate.js');
const PEAK = join(ROOT, 'bench/peak-memory.js');
const CLI = join(ROOT, 'dist/cli/main.js');

export interface MemoryUse {
  /** Peak resident set, bytes. */
  readonly peak: number;
  /** Events that the result accounts for. */
  readonly records: number;
  readonly servers: number;
}

/** Three servers' logs as files of `bytes` in all (`10m`, `1g`). */
export async function analyzeFiles(bytes: string): Promise<MemoryUse> {
  const folder = mkdtempSync(join(tmpdir(), 'skewscope-memory-'));
  try {
    await run(`"$0" "$1" --servers 3 --bytes ${bytes} --out "$2"`, GENERATE, folder);
    const files = readdirSync(folder).map((name) => join(folder, name));
    return await run('"$0" --import "$1" "$2" analyze --format json "$3" "$4" "$5"', PEAK, built(), ...files);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One server's log of `bytes` through standard input; it never exists as a file. */
export async function analyzePipe(bytes: string): Promise<MemoryUse> {
  const generate = `"$0" "$3" --servers 1 --bytes ${bytes}`;
  return run(`${generate} | "$0" --import "$1" "$2" analyze --format json -`, PEAK, built(), GENERATE);
}

function built(): string {
  if (!existsSync(CLI)) throw new Error('dist/cli/main.js is missing; run `npm run build` first');
  return CLI;
}

/** A shell script whose $0 is node; what a peak-memory preload writes to descriptor 3 comes back as `peak`. */
async function run(script: string, ...args: string[]): Promise<MemoryUse> {
  const child = spawn('/bin/sh', ['-c', script, process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  const [stdout, stderr, kib] = await Promise.all([child.stdout, child.stderr, child.stdio[3]].map(text));
  const [code] = await closed;
  // 1 says that there are findings.
  if (code !== 0 && code !== 1) throw new Error(`exit code ${code}: ${stderr?.slice(-2000)}`);
  const result: { inputs: { records: number }[]; servers: unknown[] } = JSON.parse(
    stdout || '{"inputs":[],"servers":[]}',
  );
  return {
    peak: Number(kib) * 1024,
    records: result.inputs.reduce((sum, input) => sum + input.records, 0),
    servers: result.servers.length,
  };
}

async function text(stream: unknown): Promise<string> {
  if (!(stream instanceof Readable)) throw new Error('the process was started without its pipes');
  let all = '';
  for await (const part of stream.setEncoding('utf8')) all += part;
  return all;
}
