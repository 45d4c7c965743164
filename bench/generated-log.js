/** The audit log of three servers that all measurements read; it is made once for each size and kept in bench/data/. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** @param {number} bytes size of all files together @returns {string[]} their paths */
export function generatedLog(bytes) {
  const folder = join(FOLDER, 'data', String(bytes));
  if (!existsSync(folder)) {
    const partial = `${folder}.partial`;
    rmSync(partial, { recursive: true, force: true });
    const options = ['--servers', '3', '--seed', '7', '--bytes', String(bytes), '--out', partial];
    const { status } = spawnSync(process.execPath, [join(FOLDER, 'generate.js'), ...options], { stdio: 'inherit' });
    if (status !== 0) throw new Error(`the generator ended with ${status}`);
    renameSync(partial, folder);
  }
  return readdirSync(folder).map((name) => join(folder, name));
}
