/** Texts of findings: prose with `{{ expression }}` where an observed value belongs. */
import type { ExpressionCompiler, ExpressionMistake } from './expression.js';
import { show } from './functions.js';
import { lazyExpression } from './lazy-expression.js';
import type { Expression, Scope, Template } from './rule.js';

/** Longest text of a finding, in UTF-16 units: what a person reads, not a dump. */
const MAX_TEXT = 6_000;

/** The template, or every mistake in its expressions, placed by characters from the beginning of the text. */
export function compileTemplate(text: string, compiler: ExpressionCompiler): Template | ExpressionMistake[] {
  const { parts, unclosed } = split(text);
  const mistakes = parts.flatMap((part): ExpressionMistake[] => {
    if (typeof part === 'string') return [];
    const expression = compiler.compile(part.expression, 'any');
    return Array.isArray(expression) ? expression.map((mistake) => ({ ...mistake, at: mistake.at + part.at })) : [];
  });
  if (unclosed !== undefined) {
    mistakes.push({ at: unclosed, message: '"{{" is never closed by "}}"', alternatives: [] });
  }
  return mistakes.length > 0 ? mistakes : lazyTemplate(text);
}

/** The template of a text that was checked before; it is taken apart when it is first rendered. */
export function lazyTemplate(text: string): Template {
  let pieces: (string | Expression)[] | undefined;
  return {
    text,
    render(scope) {
      pieces ??= split(text).parts.map((part) => (typeof part === 'string' ? part : lazyExpression(part.expression)));
      return render(pieces, scope);
    },
  };
}

interface Placed {
  readonly expression: string;
  readonly at: number;
}

/** `unclosed`: where a `{{` stands without its `}}`. */
function split(text: string): { parts: (string | Placed)[]; unclosed?: number } {
  const parts: (string | Placed)[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf('{{', at);
    if (open < 0) return { parts: [...parts, text.slice(at)] };
    const close = text.indexOf('}}', open);
    if (close < 0) return { parts, unclosed: open };
    const inner = text.slice(open + 2, close);
    const lead = inner.length - inner.trimStart().length;
    parts.push(text.slice(at, open), { expression: inner.trim(), at: open + 2 + lead });
    at = close + 2;
  }
}

function render(parts: readonly (string | Expression)[], scope: Scope): string {
  const text = parts.map((part) => (typeof part === 'string' ? part : show(part.evaluate(scope)))).join('');
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  return tidy(cut);
}

/** An expression may come out empty: no blanks at line ends and no two in a row. */
function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/(?<=\S) {2,}/g, ' ').trimEnd())
    .join('\n')
    .trim();
}
