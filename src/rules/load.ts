/** Reads rule files from the shipped folder and from the user's; the only part of the rules that touches a disk. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Severity } from '../model/finding.js';
import { parseRule } from './parse-rule.js';
import type { Rule, RuleSet } from './rule.js';
import { type RuleError, RuleErrors } from './rule-error.js';
import { assembleRules } from './rule-set.js';
import { fileError, MAX_RULE_BYTES } from './yaml-source.js';

/** rules/ at the package root, from dist/rules/ as from src/rules/. */
const SHIPPED = fileURLToPath(new URL('../../rules/', import.meta.url));
const MAX_FILES = 2_000;

export interface LoadOptions {
  /** Read the rules of the package; true unless said otherwise. */
  readonly shipped?: boolean;
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
  if (options.shipped ?? true) layers.push(await readLayer(SHIPPED, true, errors));
  for (const dir of options.dirs ?? []) layers.push(await readLayer(dir, false, errors));
  if (errors.length > 0) throw new RuleErrors(errors);
  return assembleRules(layers, options);
}

async function readLayer(path: string, shipped: boolean, errors: RuleError[]): Promise<Rule[]> {
  const rules: Rule[] = [];
  for (const file of await ruleFiles(path, errors)) {
    const name = shipped ? `rules/${basename(file)}` : file;
    try {
      rules.push(parseRule(await readRule(file, name), name, { shipped }));
    } catch (error) {
      if (!(error instanceof RuleErrors)) throw error;
      errors.push(...error.errors);
    }
  }
  return rules;
}

async function ruleFiles(path: string, errors: RuleError[]): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = (await readdir(path)).filter((name) => /\.ya?ml$/.test(name)).sort();
    if (names.length > MAX_FILES) {
      errors.push(fileError(path, `holds ${names.length} rule files; at most ${MAX_FILES} are read`));
    }
    return names.slice(0, MAX_FILES).map((name) => join(path, name));
  } catch (error) {
    errors.push(fileError(path, `cannot be read: ${messageOf(error)}; name a folder of rule files, or one such file`));
    return [];
  }
}

async function readRule(file: string, name: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > MAX_RULE_BYTES) throw new Error(`it has ${size} bytes; a rule file has at most ${MAX_RULE_BYTES}`);
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new RuleErrors([fileError(name, `cannot be read: ${messageOf(error)}`)]);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
