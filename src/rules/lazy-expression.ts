/** Expressions that are known to be right, parsed when they are first evaluated: a run needs few of those that rules hold. */
import { TypeError as CelTypeError, EvaluationError, type ParseResult } from '@marcbachmann/cel-js';
import { ruleEnvironment } from './functions.js';
import type { Expression, Scope } from './rule.js';

/** What a rule can name beside the observation `o`, once its observations are grouped. */
export const SCOPE_TYPES = {
  all: 'list',
  server: 'dyn',
  resource: 'dyn',
  cluster: 'string',
  edges: 'list<map>',
  objects: 'list<map>',
  urls: 'map',
  count: 'int',
  from: 'int',
  to: 'int',
} as const;

/** `text` was checked before (expression.ts): here its types and names are not looked at. */
export function lazyExpression(text: string): Expression {
  let run: ParseResult | undefined;
  return {
    text,
    evaluate(scope: Scope): unknown {
      try {
        run ??= runtime.parse(text);
        return run(scope);
      } catch (error) {
        const reason =
          error instanceof EvaluationError || error instanceof CelTypeError ? error.summary : String(error);
        throw new Error(`\`${text}\`: ${reason}`, { cause: error });
      }
    },
  };
}

const runtime = ruleEnvironment();
for (const name of ['o', ...Object.keys(SCOPE_TYPES)]) runtime.registerVariable(name, 'dyn');
