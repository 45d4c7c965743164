/** One run of one contender as a whole process: wall time, peak memory, and what it says it read. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PRELOAD = fileURLToPath(new URL('./peak-memory.js', import.meta.url));

/**
 * @param {import('./contenders/index.js').Contender} contender
 * @param {readonly string[]} files
 * @returns {Promise<{seconds: number, peakBytes: number | null, events: number | null}>}
 * @throws {Error} when the process fails; carries its first error line
 */
export async function measure(contender, files) {
  const { command, args } = contender.start(files);
  const from = process.hrtime.bigint();
  const child = spawn(command, contender.node ? ['--import', PRELOAD, ...args] : args, {
    // A contender whose output is not read writes to /dev/null, so that no pipe slows it.
    stdio: ['ignore', contender.node ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  const [code, stdout, stderr, peak] = await Promise.all([
    new Promise((resolve, reject) => child.on('error', reject).on('close', resolve)),
    text(child.stdio[1]),
    text(child.stdio[2]),
    text(child.stdio[3]),
  ]);
  const seconds = Number(process.hrtime.bigint() - from) / 1e9;
  if (!contender.good.includes(code)) throw new Error(`${contender.name} ended with ${code}: ${firstError(stderr)}`);
  const kib = Number.parseInt(peak, 10);
  return { seconds, peakBytes: Number.isNaN(kib) ? null : kib * 1024, events: contender.events(stdout) };
}

/** The line that names the error, among the frames that surround it. @param {string} stderr */
function firstError(stderr) {
  const lines = stderr.trim().split('\n');
  return (lines.find((line) => /error/i.test(line)) ?? lines[0] ?? '').slice(0, 300);
}

/** @param {import('node:stream').Readable | import('node:stream').Writable | null | undefined} stream */
async function text(stream) {
  if (!stream || !('read' in stream)) return '';
  let all = '';
  for await (const part of stream.setEncoding('utf8')) all += part;
  return all;
}
