/** A folder of real files for one test. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Writes the files (path below the folder → content) and gives the folder; `drop` removes it again. */
export function makeFolder(files: Readonly<Record<string, string | Buffer>> = {}): { path: string; drop: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'skewscope-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return { path, drop: () => rmSync(path, { recursive: true, force: true }) };
}

export async function readAll(chunks: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString('utf8');
}
