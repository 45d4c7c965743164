/** Texts of findings: prose with `{{ expression }}` where an observed value belongs. */
import type { ExpressionCompiler, ExpressionMistake } from './expression.js';
import { show } from './functions.js';
import type { Expression, Scope, Template } from './rule.js';

/** Longest text of a finding, in UTF-16 units: what a person reads, not a dump. */
const MAX_TEXT = 6_000;

/** The template, or every mistake in its expressions, placed by characters from the beginning of the text. */
export function compileTemplate(text: string, compiler: ExpressionCompiler): Template | ExpressionMistake[] {
  const parts: (string | Expression)[] = [];
  const mistakes: ExpressionMistake[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf('{{', at);
    if (open < 0) break;
    const close = text.indexOf('}}', open);
    if (close < 0) return [...mistakes, { at: open, message: '"{{" is never closed by "}}"', alternatives: [] }];
    parts.push(text.slice(at, open));
    const inner = text.slice(open + 2, close);
    const lead = inner.length - inner.trimStart().length;
    const expression = compiler.compile(inner.trim(), 'any');
    if (Array.isArray(expression)) {
      mistakes.push(...expression.map((mistake) => ({ ...mistake, at: mistake.at + open + 2 + lead })));
    } else {
      parts.push(expression);
    }
    at = close + 2;
  }
  parts.push(text.slice(at));
  return mistakes.length > 0 ? mistakes : { text, render: (scope) => render(parts, scope) };
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
