/** Mistakes that show when rules are loaded: those that the configuration file makes, with their line in it. */
import { readFile } from 'node:fs/promises';
import { formatRuleError, type RuleError, ruleErrorMessage } from '../rules/rule-error.js';
import { type OpenConfig, openConfig } from './parse-config.js';

/** One line for each. `file` is a configuration file that was read before without a mistake. */
export async function placeRuleErrors(file: string, errors: readonly RuleError[]): Promise<string[]> {
  if (errors.every(({ path }) => path === undefined)) return errors.map(formatRuleError);
  return ruleMistakes(errors, openConfig(await readFile(file, 'utf8'), file).at);
}

/** `at` tells where in the file a key is. */
export function ruleMistakes(errors: readonly RuleError[], at: OpenConfig['at']): string[] {
  return errors.map((error) =>
    error.path === undefined ? formatRuleError(error) : at(error.path, `is wrong: ${ruleErrorMessage(error)}`),
  );
}
