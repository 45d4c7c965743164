/** From what the user named (files, folders, globs, `-`) to the sorted list of sources, each read once. */
import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { fileSource } from './file.js';
import { type FollowOptions, followSource } from './follow.js';
import { compileGlob, globBase, hasGlobSyntax } from './glob.js';
import { describeNonLog } from './not-a-log.js';
import { compareStreams, isFinishedPart } from './rotation.js';
import type { Source } from './source.js';
import { errorCode, explainSystemError } from './source.js';
import { stdinSource } from './stdin.js';
import { walkFiles } from './walk.js';

export interface PathNote {
  readonly path: string;
  readonly message: string;
}

export interface ExpandOptions {
  /** Follow files that are still written: neither rotated away nor compressed. They may not exist yet. */
  readonly follow?: FollowOptions;
  /** What `-` stands for; standard input unless given. */
  readonly stdin?: () => Source;
}

export interface Expanded {
  /** Sorted by stream; the parts of one stream from the oldest to the one being written. */
  readonly sources: Source[];
  /** What was named and cannot be read. Messages name the path and what to do. */
  readonly problems: PathNote[];
  /** What was found in folders and left out, with the reason: hidden, no regular file, an archive, a second name. */
  readonly skipped: PathNote[];
}

/** Finds the sources behind paths. Never throws for a path: what cannot be read is a problem beside the rest. */
export async function expandPaths(paths: readonly string[], options: ExpandOptions = {}): Promise<Expanded> {
  const found: Expanded = { sources: [], problems: [], skipped: [] };
  const files = new Map<string, Candidate>();
  for (const path of new Set(paths)) {
    if (path === '-') found.sources.push((options.stdin ?? stdinSource)());
    else await findFiles(path, files, found, options);
  }
  const byIdentity = new Map<string, string>();
  for (const { path, stats, named } of [...files.values()].sort((a, b) => compareStreams(a.path, b.path))) {
    const identity = await identityOf(path);
    const first = byIdentity.get(identity);
    if (first !== undefined) found.skipped.push({ path, message: `${path}: the same file as ${first}` });
    else if (await isReadable(path, stats, named, found)) {
      byIdentity.set(identity, path);
      found.sources.push(sourceFor(path, stats, options));
    }
  }
  return found;
}

interface Candidate {
  readonly path: string;
  /** Undefined for a file that is followed and does not exist yet. */
  readonly stats: Stats | undefined;
  /** Named by the user, rather than found in a folder. */
  readonly named: boolean;
}

async function findFiles(path: string, files: Map<string, Candidate>, found: Expanded, options: ExpandOptions) {
  let stats: Stats;
  try {
    stats = await stat(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') found.problems.push({ path, message: explainSystemError(path, error) });
    else if (hasGlobSyntax(path)) await findByGlob(path, files, found);
    else if (options.follow !== undefined) add(files, { path, stats: undefined, named: true });
    else found.problems.push({ path, message: explainSystemError(path, error) });
    return;
  }
  if (stats.isDirectory()) {
    const before = files.size;
    await walkInto(path, files, found);
    if (files.size === before) found.problems.push({ path, message: `${path}: the folder holds no files to read` });
  } else add(files, { path, stats, named: true });
}

async function findByGlob(pattern: string, files: Map<string, Candidate>, found: Expanded) {
  const before = files.size + found.problems.length;
  const glob = compileGlob(pattern);
  for await (const entry of walkFiles(globBase(pattern), { hidden: true, descend: glob.mayMatchBelow })) {
    if ('message' in entry) {
      if (glob.matches(entry.path)) found.problems.push(entry);
    } else if (!glob.matches(entry.path)) continue;
    else if (entry.stats.isDirectory()) await walkInto(entry.path, files, found);
    else add(files, { path: entry.path, stats: entry.stats, named: true });
  }
  if (files.size + found.problems.length > before) return;
  const message = `${pattern}: no file matches; quote the pattern, and check the folder this was started in`;
  found.problems.push({ path: pattern, message });
}

async function walkInto(folder: string, files: Map<string, Candidate>, found: Expanded) {
  for await (const entry of walkFiles(folder, { hidden: false })) {
    if ('message' in entry)
      (entry.failed ? found.problems : found.skipped).push({ path: entry.path, message: entry.message });
    else if (entry.stats.isFile()) add(files, { path: entry.path, stats: entry.stats, named: false });
    else if (!entry.stats.isDirectory()) {
      found.skipped.push({ path: entry.path, message: `${entry.path}: not a regular file` });
    }
  }
}

function add(files: Map<string, Candidate>, candidate: Candidate): void {
  const known = files.get(candidate.path);
  if (known === undefined || (candidate.named && !known.named)) files.set(candidate.path, candidate);
}

/** One file has one identity whatever the names that lead to it; pipes of the shell have none but their name. */
async function identityOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) === '') throw error;
    return path;
  }
}

async function isReadable(path: string, stats: Stats | undefined, named: boolean, found: Expanded): Promise<boolean> {
  if (!stats?.isFile()) return true;
  try {
    const what = await describeNonLog(path);
    if (what === undefined) return true;
    (named ? found.problems : found.skipped).push({ path, message: `${path}: ${what}` });
  } catch (error) {
    if (errorCode(error) === '') throw error;
    found.problems.push({ path, message: explainSystemError(path, error) });
  }
  return false;
}

function sourceFor(path: string, stats: Stats | undefined, options: ExpandOptions): Source {
  if (stats === undefined) return followSource(path, options.follow);
  const finished = !stats.isFile() || isFinishedPart(path);
  return options.follow === undefined || finished
    ? fileSource(path, stats)
    : followSource(path, options.follow, stats.mtimeMs);
}
