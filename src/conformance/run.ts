/** Analyzes recorded runs as a user would, and compares each result with the run's expected.json. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { analyze } from '../analysis/index.js';
import { toResult } from '../report/index.js';
import { loadRules, type RuleSet } from '../rules/index.js';
import { expandPaths } from '../sources/index.js';
import { compare, type Differences } from './compare.js';
import { type Expected, expectedSchema, type Mode } from './expected.js';
import { expectedFile, filesOf } from './find-runs.js';

export interface Conformance extends Differences {
  readonly run: string;
  readonly mode: Mode;
}

/** One run in one mode. Throws when expected.json or an input cannot be read: the message names the file. */
export async function checkRun(dir: string, mode: Mode, rules?: RuleSet): Promise<Conformance> {
  const expected = readExpected(expectedFile(dir));
  const { sources, problems } = await expandPaths(filesOf(dir, mode));
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));
  const analysis = await analyze(sources, { rules: rules ?? (await loadShippedRules()) });
  return { run: basename(dir), mode, ...compare(expected, toResult(analysis), mode) };
}

/** The rules that ship with the program, and no others. */
export function loadShippedRules(): Promise<RuleSet> {
  return loadRules({ shipped: true });
}

function readExpected(file: string): Expected {
  const parsed = expectedSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw new Error(`${file} does not hold what an expected.json holds:\n${issues.join('\n')}`);
}
