/** One run of each, as a whole process: seconds from the first message to the last, CPU of all its threads, peak memory. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** @typedef {{ seconds: number, cpuSeconds: number, peakBytes: number }} Run */

const USAGE = fileURLToPath(new URL('./usage.js', import.meta.url));
const ALONE = fileURLToPath(new URL('./alone.js', import.meta.url));
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const DEADLINE_MS = 10 * 60_000;

/** @param {string} broker @param {string} topic @param {number} total @returns {Promise<Run>} */
export async function runAlone(broker, topic, total) {
  const child = start([ALONE, broker, topic, String(total)]);
  const { stdout, usage } = await child.ended;
  return { seconds: Number(stdout), ...usage };
}

/** @param {string} broker @param {string} topic @param {number} total @returns {Promise<Run>} */
export async function runServe(broker, topic, total) {
  const folder = mkdtempSync(join(tmpdir(), 'skewscope-replay-'));
  const port = await freePort();
  const config = join(folder, 'skewscope.yaml');
  const kafka = { brokers: [broker], topics: [topic], from: 'earliest', group: `replay-${process.pid}-${Date.now()}` };
  writeFileSync(config, JSON.stringify({ kafka, listen: { admin: `127.0.0.1:${port}` } }));
  const child = start([MAIN, 'serve', '--config', config]);
  try {
    const from = await reached(port, 1, child);
    const seconds = ((await reached(port, total, child)) - from) / 1_000;
    child.process.kill('SIGTERM');
    return { seconds, ...(await child.ended).usage };
  } finally {
    child.process.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** When so many records were taken. @param {number} port @param {number} records @param {ReturnType<typeof start>} child */
async function reached(port, records, child) {
  const deadline = performance.now() + DEADLINE_MS;
  while (performance.now() < deadline && child.process.exitCode === null) {
    const now = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/status`).catch(() => undefined);
    const status = /** @type {{ records: number } | undefined} */ (answer?.ok ? await answer.json() : undefined);
    if (status !== undefined && status.records >= records) return now;
    await sleep(50);
  }
  throw new Error(`serve did not take ${records} records; it ended with ${child.process.exitCode}`);
}

/** @param {readonly string[]} args */
function start(args) {
  const child = spawn(process.execPath, ['--import', USAGE, ...args], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  const closed = new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  const ended = Promise.all([text(child.stdio[1]), text(child.stdio[3]), closed]).then(([stdout, usage, code]) => {
    if (usage === '') throw new Error(`${args[0]} ended with ${code}`);
    return { stdout, usage: JSON.parse(usage) };
  });
  return { process: child, ended };
}

/** @param {import('node:stream').Readable | import('node:stream').Writable | null | undefined} stream */
async function text(stream) {
  if (!stream || !('read' in stream)) return '';
  let all = '';
  for await (const part of stream.setEncoding('utf8')) all += part;
  return all;
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
