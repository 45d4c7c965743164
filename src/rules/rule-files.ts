/** Rule files of a folder, read and checked. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorText } from '../model/error-text.js';
import { parseRule } from './parse-rule.js';
import type { Rule } from './rule.js';
import { fileError, type RuleError, RuleErrors } from './rule-error.js';
import { MAX_RULE_BYTES } from './yaml-source.js';

const MAX_FILES = 2_000;

/** The rules of a folder, or of a single file; mistakes are added to `errors`. */
export async function readRuleFiles(path: string, shipped: boolean, errors: RuleError[]): Promise<Rule[]> {
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
    errors.push(fileError(path, `cannot be read: ${errorText(error)}; name a folder of rule files, or one such file`));
    return [];
  }
}

async function readRule(file: string, name: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > MAX_RULE_BYTES) throw new Error(`it has ${size} bytes; a rule file has at most ${MAX_RULE_BYTES}`);
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new RuleErrors([fileError(name, `cannot be read: ${errorText(error)}`)]);
  }
}
