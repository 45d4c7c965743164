/** Builds the collector of the tests once for each state of its source, and keeps it in a folder that git ignores. */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SOURCE = fileURLToPath(new URL('.', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../.cache', import.meta.url));

/** A first build downloads and compiles several hundred packages. */
export const BUILD_TIMEOUT_MS = 10 * 60_000;

/**
 * Why the collector cannot be had here; undefined when it can. With SKEWSCOPE_REQUIRE_SERVICES=1 it always can: a
 * missing Go then fails the tests instead of skipping them.
 */
export function whyNoCollector(): string | undefined {
  if (process.env.SKEWSCOPE_REQUIRE_SERVICES === '1' || existsSync(binaryPath())) return undefined;
  return spawnSync('go', ['version']).status === 0 ? undefined : 'Go is not installed, so no collector can be built';
}

/** Path of the program. Throws with what the Go tool said when it cannot be built. */
export async function buildCollector(): Promise<string> {
  const path = binaryPath();
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  try {
    await promisify(execFile)('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', unfinished, '.'], {
      cwd: SOURCE,
      maxBuffer: 16 * 2 ** 20,
    });
    for (const name of readdirSync(CACHE)) {
      if (/^collector-[0-9a-f]{12}$/.test(name)) rmSync(join(CACHE, name), { force: true });
    }
    renameSync(unfinished, path);
  } finally {
    rmSync(unfinished, { force: true });
  }
  return path;
}

function binaryPath(): string {
  const hash = createHash('sha256');
  for (const name of ['main.go', 'certs.go', 'go.mod', 'go.sum']) hash.update(readFileSync(join(SOURCE, name)));
  return join(CACHE, `collector-${hash.digest('hex').slice(0, 12)}`);
}
