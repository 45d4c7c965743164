/** Where recorded runs lie, and which of their files an analysis is given. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Mode } from './expected.js';

// truth.ndjson says what the staging did; an analysis must come to it by itself.
const NOT_GIVEN = /^(expected\.json|truth\.ndjson(\.gz)?|README(\.md)?)$/;

/** The runs at or under `dir` (folders with an expected.json), sorted; at most three levels deep. */
export function findRuns(dir: string, depth = 3): string[] {
  if (existsSync(expectedFile(dir))) return [dir];
  if (depth === 0) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => join(dir, entry.name))
    .sort()
    .flatMap((folder) => findRuns(folder, depth - 1));
}

/** The file that makes a folder a run. */
export function expectedFile(dir: string): string {
  return join(dir, 'expected.json');
}

/** Paths of what an analysis of the run is given, sorted; in mode `audit` the files whose names contain `audit`. */
export function filesOf(dir: string, mode: Mode): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !NOT_GIVEN.test(entry.name))
    .filter((entry) => mode === 'all' || entry.name.includes('audit'))
    .map((entry) => join(dir, entry.name))
    .sort();
}
