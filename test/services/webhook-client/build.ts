/** Builds the client of the tests, which posts as a kube-apiserver does, once for each state of its source. */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SOURCE = fileURLToPath(new URL('.', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../.cache', import.meta.url));

/** A first build downloads and compiles the libraries of an apiserver. */
export const CLIENT_BUILD_TIMEOUT_MS = 10 * 60_000;

/**
 * Why the client cannot be had here; undefined when it can. With SKEWSCOPE_REQUIRE_SERVICES=1 it always can: a missing
 * Go then fails the tests instead of skipping them.
 */
export function whyNoWebhookClient(): string | undefined {
  if (process.env.SKEWSCOPE_REQUIRE_SERVICES === '1' || existsSync(binaryPath())) return undefined;
  return spawnSync('go', ['version']).status === 0
    ? undefined
    : 'Go is not installed, so the webhook client of kube-apiserver cannot be built';
}

/** Path of the program. Throws with what the Go tool said when it cannot be built. */
export async function buildWebhookClient(): Promise<string> {
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
      if (/^webhook-client-[0-9a-f]{12}$/.test(name)) rmSync(join(CACHE, name), { force: true });
    }
    renameSync(unfinished, path);
  } finally {
    rmSync(unfinished, { force: true });
  }
  return path;
}

function binaryPath(): string {
  const hash = createHash('sha256');
  for (const name of ['main.go', 'go.mod', 'go.sum']) hash.update(readFileSync(join(SOURCE, name)));
  return join(CACHE, `webhook-client-${hash.digest('hex').slice(0, 12)}`);
}
