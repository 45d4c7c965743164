/** Finds what waits in a spool for outputs that are configured no more: nobody would send it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const SEGMENT = /^\d{10}\.ndjson$/;

/** Folders of the spool that hold waiting messages and belong to none of the outputs. */
export async function leftBehind(spool: string, ids: ReadonlySet<string>): Promise<string[]> {
  const folders = await readdir(spool, { withFileTypes: true });
  const waiting: string[] = [];
  for (const entry of folders) {
    if (!entry.isDirectory() || ids.has(entry.name)) continue;
    const names = await readdir(join(spool, entry.name));
    if (names.some((name) => SEGMENT.test(name))) waiting.push(join(spool, entry.name));
  }
  return waiting.sort();
}
