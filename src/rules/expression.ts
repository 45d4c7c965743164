/** CEL expressions of rules: parsed, checked against the fields of the observations they read, ready to run. */
import { TypeError as CelTypeError, type Environment, ParseError, type ParseResult } from '@marcbachmann/cel-js';
import { errorText } from '../model/error-text.js';
import { fieldMistakes } from './field-check.js';
import { ruleEnvironment } from './functions.js';
import { lazyExpression, SCOPE_TYPES } from './lazy-expression.js';
import type { Expression } from './rule.js';
import { celFieldsOf } from './schema-shape.js';

/** A mistake in an expression; `at` counts characters from its beginning. */
export interface ExpressionMistake {
  readonly at: number;
  readonly message: string;
  readonly alternatives: readonly string[];
}

export interface ExpressionCompiler {
  /** `expected` is the type of the result; `any` where every type has a meaning. */
  compile(text: string, expected: 'bool' | 'any'): Expression | ExpressionMistake[];
}

/**
 * A compiler for the expressions of a rule that reads these observation types. `observation`: only `o` is known
 * (conditions on single observations); `group`: all that is known of a group, too.
 */
export function expressionCompiler(types: readonly string[], scope: 'observation' | 'group'): ExpressionCompiler {
  const checker = ruleEnvironment().registerVariable({ name: 'o', schema: celFieldsOf(types) as never });
  if (scope === 'group') for (const [name, type] of Object.entries(SCOPE_TYPES)) checker.registerVariable(name, type);
  const known = ['o', ...(scope === 'group' ? Object.keys(SCOPE_TYPES) : [])];
  return {
    compile(text, expected) {
      const mistakes = check(checker, text, types, known, expected);
      return mistakes.length > 0 ? mistakes : lazyExpression(text);
    },
  };
}

function check(
  checker: Environment,
  text: string,
  types: readonly string[],
  known: readonly string[],
  expected: 'bool' | 'any',
): ExpressionMistake[] {
  let parsed: ParseResult;
  try {
    parsed = checker.parse(text);
  } catch (error) {
    return [mistakeOf(error)];
  }
  const mistakes = fieldMistakes(parsed.ast, types, known);
  if (mistakes.length > 0) return mistakes;
  const result = parsed.check();
  if (!result.valid) return [mistakeOf(result.error)];
  if (expected === 'bool' && result.type !== 'bool' && result.type !== 'dyn') {
    return [{ at: 0, message: `must be true or false, but is of type ${result.type}`, alternatives: [] }];
  }
  return [];
}

function mistakeOf(error: unknown): ExpressionMistake {
  if (error instanceof ParseError || error instanceof CelTypeError) {
    return { at: error.range?.start ?? 0, message: error.summary, alternatives: [] };
  }
  return { at: 0, message: errorText(error), alternatives: [] };
}
