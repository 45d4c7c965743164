/** `npm run conformance -- DIR...`: checks the program against recorded runs. Exit codes: 0 equal, 1 differences, 2 usage. */
import { statSync } from 'node:fs';
import { findRuns } from './find-runs.js';
import { renderConformance } from './render.js';
import { type Conformance, checkRun, loadShippedRules } from './run.js';

const USAGE = `Usage: npm run conformance -- DIR...

Analyzes every recorded run (a folder with expected.json) at or under each DIR twice, with all its files and with its
audit logs alone, and compares the results with expected.json.
`;

process.exitCode = await main(process.argv.slice(2));

async function main(dirs: readonly string[]): Promise<number> {
  if (dirs.includes('--help') || dirs.includes('-h')) {
    process.stdout.write(USAGE);
    return 0;
  }
  const runs = dirs.filter(isFolder).flatMap((dir) => findRuns(dir));
  const missing = dirs.filter((dir) => !isFolder(dir));
  if (runs.length === 0 || missing.length > 0) {
    for (const dir of missing) process.stderr.write(`${dir}: no such folder\n`);
    if (dirs.length > 0 && missing.length === 0) process.stderr.write(`no expected.json under ${dirs.join(', ')}\n`);
    process.stderr.write(USAGE);
    return 2;
  }
  const checks = await checkAll(runs);
  process.stdout.write(renderConformance(checks));
  return checks.every(({ differences }) => differences.length === 0) ? 0 : 1;
}

async function checkAll(runs: readonly string[]): Promise<Conformance[]> {
  const rules = await loadShippedRules();
  const checks: Conformance[] = [];
  for (const run of runs) {
    for (const mode of ['all', 'audit'] as const) {
      if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${run} (${mode})`);
      checks.push(await checkRun(run, mode, rules));
    }
  }
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  return checks;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
