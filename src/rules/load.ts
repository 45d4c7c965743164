/** The rules of a run: the shipped ones, the user's, and what configuration says about them. */
import type { Severity } from '../model/finding.js';
import type { Rule, RuleSet } from './rule.js';
import { type RuleError, RuleErrors } from './rule-error.js';
import { assembleRules } from './rule-set.js';
import { PACKED_FILE, readPackedRules, SHIPPED_DIR } from './shipped-rules.js';

export interface LoadOptions {
  /** Read the rules of the package; true unless said otherwise. */
  readonly shipped?: boolean;
  /** Check the files of the shipped rules in full, though the build has done so before; false unless said otherwise. */
  readonly recheck?: boolean;
  /** Folders (not searched below their first level) or single files; a rule with the id of an earlier one replaces it. */
  readonly dirs?: readonly string[];
  /** Ids of rules to switch off. */
  readonly disable?: readonly string[];
  /** Fixed severities by rule id. */
  readonly severity?: Readonly<Record<string, Severity>>;
}

/** Throws RuleErrors with the mistakes of all files together. */
export async function loadRules(options: LoadOptions = {}): Promise<RuleSet> {
  const errors: RuleError[] = [];
  const layers: Rule[][] = [];
  if (options.shipped ?? true) layers.push(await readShipped(options.recheck ?? false, errors));
  for (const dir of options.dirs ?? []) layers.push(await readFiles(dir, false, errors));
  if (errors.length > 0) throw new RuleErrors(errors);
  return assembleRules(layers, options);
}

async function readShipped(recheck: boolean, errors: RuleError[]): Promise<Rule[]> {
  const packed = recheck ? undefined : readPackedRules(PACKED_FILE, SHIPPED_DIR);
  return packed ?? readFiles(SHIPPED_DIR, true, errors);
}

async function readFiles(path: string, shipped: boolean, errors: RuleError[]): Promise<Rule[]> {
  // What reads and checks rule files is half of the program's code: most runs do without.
  const { readRuleFiles } = await import('./rule-files.js');
  return readRuleFiles(path, shipped, errors);
}
