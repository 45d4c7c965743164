/** What is wrong with a rule, where it stands, and what was probably meant. */

/** One mistake in a rule file. Line and column count from 1; 0 when it concerns the file as a whole. */
export interface RuleError {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** Names that would be right in this place, all equally similar, or all there are. */
  readonly alternatives: readonly string[];
  /** Of a mistake in the configuration: the keys that lead to it. */
  readonly path?: readonly (string | number)[];
}

/** A mistake that concerns a file as a whole. */
export function fileError(file: string, message: string, alternatives: readonly string[] = []): RuleError {
  return { file, line: 0, column: 0, message, alternatives };
}

/** Thrown when rules cannot be used; holds every mistake that was found, not only the first. */
export class RuleErrors extends Error {
  override readonly name = 'RuleErrors';

  constructor(readonly errors: readonly RuleError[]) {
    super(errors.map(formatRuleError).join('\n'));
  }
}

/** `rules/x.yaml:3:12: unknown observation type "peer-call-failur"; did you mean "peer-call-failure"?` */
export function formatRuleError(error: RuleError): string {
  const place = error.line === 0 ? error.file : `${error.file}:${error.line}:${error.column}`;
  return `${place}: ${ruleErrorMessage(error)}`;
}

/** The candidates nearest to a word that is none of them (at most three); all of them when none is near and they are few. */
export function alternativesFor(word: string, candidates: Iterable<string>): string[] {
  const known = [...new Set(candidates)];
  const limit = Math.max(2, Math.floor(word.length / 3));
  const near = known
    .map((name) => ({ name, distance: editDistance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  const nearest = near.filter(({ distance }) => distance === near[0]?.distance).slice(0, 3);
  return nearest.length > 0 ? nearest.map(({ name }) => name) : known.length <= 40 ? known.sort() : [];
}

/** `unknown …; did you mean …?`, without the place. */
export function ruleErrorMessage({ message, alternatives }: RuleError): string {
  return `${message}${hint(alternatives)}`;
}

function hint(alternatives: readonly string[]): string {
  if (alternatives.length === 0) return '';
  const names = alternatives.map((name) => `"${name}"`);
  if (names.length > 3) return `; known: ${names.join(', ')}`;
  return `; did you mean ${names.join(' or ')}?`;
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 20) return Number.POSITIVE_INFINITY;
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
