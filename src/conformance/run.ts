/** Analyzes recorded runs as a user would, and compares each result with the run's expected.json. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { analyze } from '../analysis/index.js';
import { toResult } from '../report/index.js';
import { loadRules, type RuleSet } from '../rules/index.js';
import { expandPaths } from '../sources/index.js';
import { compare, type Differences } from './compare.js';
import { type Expected, expectedSchema, type Mode } from './expected.js';

const EXPECTED = 'expected.json';
// What the staging did is written here; an analysis must come to it by itself.
const NOT_GIVEN = /^(expected\.json|truth\.ndjson(\.gz)?|README(\.md)?)$/;

export interface Conformance extends Differences {
  readonly run: string;
  readonly mode: Mode;
}

/** The runs at or under `dir` (folders with an expected.json), sorted; at most three levels deep. */
export function findRuns(dir: string, depth = 3): string[] {
  if (existsSync(join(dir, EXPECTED))) return [dir];
  if (depth === 0) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => join(dir, entry.name))
    .sort()
    .flatMap((folder) => findRuns(folder, depth - 1));
}

/** One run in one mode. Throws when expected.json or an input cannot be read: the message names the file. */
export async function checkRun(dir: string, mode: Mode, rules?: RuleSet): Promise<Conformance> {
  const expected = readExpected(join(dir, EXPECTED));
  const { sources, problems } = await expandPaths(filesOf(dir, mode));
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));
  const analysis = await analyze(sources, { rules: rules ?? (await loadShippedRules()) });
  return { run: basename(dir), mode, ...compare(expected, toResult(analysis), mode) };
}

/** The rules that ship with the program, and no others. */
export function loadShippedRules(): Promise<RuleSet> {
  return loadRules({ shipped: true });
}

function filesOf(dir: string, mode: Mode): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !NOT_GIVEN.test(entry.name))
    .filter((entry) => mode === 'all' || entry.name.includes('audit'))
    .map((entry) => join(dir, entry.name))
    .sort();
}

function readExpected(file: string): Expected {
  const parsed = expectedSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw new Error(`${file} does not hold what an expected.json holds:\n${issues.join('\n')}`);
}
