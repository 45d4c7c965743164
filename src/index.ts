/** skewscope as a library: `import { analyze } from 'skewscope'`. */
import { type AnalyzeOptions, analyze as analyzeSources } from './analysis/index.js';
import type { Analysis } from './model/analysis.js';
import { loadRules, type RuleSet } from './rules/index.js';
import { expandPaths } from './sources/index.js';

/** Options of `analyze`; the shipped rules judge unless others are given. */
export type LibraryOptions = Omit<AnalyzeOptions, 'rules'> & { readonly rules?: RuleSet };

/**
 * Analyzes files, folders, globs, or `-` for standard input. Times are microseconds since the epoch.
 * Throws when a path does not exist; unreadable and damaged content is counted under `inputs`.
 *
 * @example
 * const { findings } = await analyze(['logs/']);
 * for (const finding of findings) console.log(finding.severity, finding.summary);
 */
export async function analyze(paths: readonly string[], options: LibraryOptions = {}): Promise<Analysis> {
  const { sources, problems } = await expandPaths(paths);
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));
  return analyzeSources(sources, { ...options, rules: options.rules ?? (await loadRules({ shipped: true })) });
}

export { watch } from './analysis/index.js';
export type * from './model/analysis.js';
export type { Confidence, Edge, Finding, HarmedObject, Severity, Unjudged } from './model/finding.js';
export type { Observation } from './model/observations/index.js';
export { type AnalysisResult, renderText, toResult } from './report/index.js';
export { loadRules, type RuleSet } from './rules/index.js';
