#!/usr/bin/env node
/**
 * `npm run bench`: skewscope beside ndjson, JSON.parse, jq and DuckDB on one generated audit log of three servers.
 * BENCH_BYTES (default 1g) and BENCH_ROUNDS (default 3) shrink or grow it. The log is kept in bench/data/.
 */
import { spawnSync } from 'node:child_process';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONTENDERS } from './contenders/index.js';
import { parseSize } from './generate/size.js';
import { generatedLog } from './generated-log.js';
import { measure } from './measure.js';

/** @typedef {import('./contenders/index.js').Contender} Contender */
/** @typedef {Awaited<ReturnType<typeof measure>>} Run */

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const MIB = 2 ** 20;
const bytes = parseSize(process.env.BENCH_BYTES ?? '1g');
const rounds = Math.max(1, Number(process.env.BENCH_ROUNDS ?? 3));

installContenders();
const files = generatedLog(bytes);
const total = files.reduce((sum, file) => sum + statSync(file).size, 0);
await warmPageCache();
console.log(`${files.length} audit logs, ${(total / MIB).toFixed(0)} MiB; ${rounds} rounds, interleaved; medians.`);
console.log(
  `Node.js ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}\n`,
);

const { runs, skipped } = await race();
printTable(runs);
printDoubts(runs, skipped);

/** DuckDB alone is 70 MB: it has its own package and is fetched only here. */
function installContenders() {
  if (existsSync(join(FOLDER, 'node_modules/@duckdb/node-api'))) return;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: 'inherit' });
  if (status !== 0) console.error('npm ci in bench/ failed; what needs it is skipped below.');
}

async function warmPageCache() {
  for (const file of files) for await (const _ of createReadStream(file, { highWaterMark: MIB }));
}

async function race() {
  /** @type {Map<Contender, Run[]>} */
  const runs = new Map();
  /** @type {string[]} */
  const skipped = [];
  for (const contender of CONTENDERS) {
    const reason = contender.unavailable();
    if (reason === null) runs.set(contender, []);
    else skipped.push(`${contender.name}: ${reason}`);
  }
  for (let round = 0; round < rounds; round++) {
    for (const [contender, results] of runs) {
      try {
        results.push(await measure(contender, files));
      } catch (error) {
        skipped.push(error instanceof Error ? error.message : String(error));
        runs.delete(contender);
      }
    }
    process.stderr.write(`round ${round + 1} of ${rounds} done\n`);
  }
  return { runs, skipped };
}

/** @param {Map<Contender, Run[]>} runs */
function printTable(runs) {
  const own = runs.get(/** @type {Contender} */ (CONTENDERS[0]));
  const base = own && own.length > 0 ? median(own.map((run) => run.seconds)) : undefined;
  const rows = [['', 'seconds', 'MiB/s', 'time ÷ skewscope', 'peak MiB', 'what it does']];
  for (const [contender, results] of runs) {
    const seconds = median(results.map((run) => run.seconds));
    const peaks = results.flatMap((run) => (run.peakBytes === null ? [] : [run.peakBytes]));
    rows.push([
      contender.name,
      seconds.toFixed(2),
      (total / MIB / seconds).toFixed(0),
      base === undefined ? '-' : (seconds / base).toFixed(2),
      peaks.length === 0 ? '-' : (median(peaks) / MIB).toFixed(0),
      contender.does,
    ]);
  }
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  for (const row of rows) {
    const cells = row.map((cell, i) =>
      i === 0 || i === row.length - 1 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0),
    );
    console.log(cells.join('  ').trimEnd());
  }
}

/** What a reader must know before trusting the table. @param {Map<Contender, Run[]>} runs @param {readonly string[]} skipped */
function printDoubts(runs, skipped) {
  for (const reason of skipped) console.log(`\nNot compared: ${reason}`);
  const counts = new Map([...runs].flatMap(([c, [first]]) => (first?.events == null ? [] : [[c.name, first.events]])));
  if (new Set(counts.values()).size > 1) {
    console.log(
      `\nThe contenders did not read the same number of events: ${[...counts].map((c) => c.join(' ')).join(', ')}`,
    );
    process.exitCode = 1;
  }
  if (!runs.has(/** @type {Contender} */ (CONTENDERS[0]))) process.exitCode = 1;
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
