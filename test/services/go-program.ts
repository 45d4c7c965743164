/** Programs in Go that tests need: built once for each state of their source, and kept in a folder that git ignores. */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CACHE = fileURLToPath(new URL('../../.cache', import.meta.url));

/** A first build downloads and compiles several hundred packages. */
export const BUILD_TIMEOUT_MS = 10 * 60_000;

/**
 * Why the program in a folder cannot be had here; undefined when it can. With SKEWSCOPE_REQUIRE_SERVICES=1 it always
 * can: a missing Go then fails the tests instead of skipping them.
 */
export function whyNoGoProgram(folder: URL): string | undefined {
  if (process.env.SKEWSCOPE_REQUIRE_SERVICES === '1' || existsSync(binaryPath(folder))) return undefined;
  if (spawnSync('go', ['version']).status === 0) return undefined;
  return `Go is not installed, so the ${nameOf(folder)} of the tests cannot be built`;
}

/** Path of the program. Throws with what the Go tool said when it cannot be built. */
export async function buildGoProgram(folder: URL): Promise<string> {
  const path = binaryPath(folder);
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  const older = new RegExp(`^${nameOf(folder)}-[0-9a-f]{12}$`);
  try {
    await promisify(execFile)('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', unfinished, '.'], {
      cwd: fileURLToPath(folder),
      maxBuffer: 16 * 2 ** 20,
    });
    for (const name of readdirSync(CACHE)) {
      // Another test file may be using the same one by now.
      if (older.test(name) && name !== basename(path)) rmSync(join(CACHE, name), { force: true });
    }
    renameSync(unfinished, path);
  } finally {
    rmSync(unfinished, { force: true });
  }
  return path;
}

function binaryPath(folder: URL): string {
  const source = fileURLToPath(folder);
  const hash = createHash('sha256');
  for (const name of readdirSync(source).sort()) {
    if (/\.go$|^go\.(mod|sum)$/.test(name)) hash.update(readFileSync(join(source, name)));
  }
  return join(CACHE, `${nameOf(folder)}-${hash.digest('hex').slice(0, 12)}`);
}

function nameOf(folder: URL): string {
  return basename(fileURLToPath(folder));
}
