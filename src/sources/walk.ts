/** Lists what lies below a folder, in sorted order, with loops of symbolic links entered once. */
import type { Stats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { errorCode, explainSystemError } from './source.js';

export interface WalkOptions {
  /** Also give names that begin with a dot. */
  readonly hidden: boolean;
  /** Whether to enter a folder; all are entered unless given. */
  readonly descend?: (folder: string) => boolean;
}

export type WalkEntry =
  | { readonly path: string; readonly stats: Stats }
  /** Left out, or (`failed`) not readable. */
  | { readonly path: string; readonly message: string; readonly failed: boolean };

/** Everything below `root` ('' for the current folder), folders before what they hold; symbolic links are followed. */
export async function* walkFiles(root: string, options: WalkOptions): AsyncGenerator<WalkEntry> {
  const entered = new Set<string>();
  const pending = [root];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const names = await namesIn(folder, entered);
    if (!Array.isArray(names)) {
      yield names;
      continue;
    }
    const folders: string[] = [];
    for (const name of names) {
      const path = join(folder, name);
      if (name.startsWith('.') && !options.hidden) {
        yield { path, message: `${path}: hidden`, failed: false };
        continue;
      }
      const entry = await look(path);
      yield entry;
      if ('stats' in entry && entry.stats.isDirectory() && (options.descend?.(path) ?? true)) folders.push(path);
    }
    pending.push(...folders.reverse());
  }
}

async function namesIn(folder: string, entered: Set<string>): Promise<string[] | WalkEntry> {
  try {
    const real = await realpath(folder === '' ? '.' : folder);
    if (entered.has(real)) return [];
    entered.add(real);
    return (await readdir(real)).sort();
  } catch (error) {
    return failure(folder, error);
  }
}

async function look(path: string): Promise<WalkEntry> {
  try {
    return { path, stats: await stat(path) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      return { path, message: `${path}: vanished, or a link to nothing`, failed: false };
    }
    return failure(path, error);
  }
}

function failure(path: string, error: unknown): WalkEntry {
  if (errorCode(error) === '') throw error;
  return { path, message: explainSystemError(path, error), failed: true };
}

function join(folder: string, name: string): string {
  return folder === '' || folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}
