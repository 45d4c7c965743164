/** Glob patterns: `*`, `?`, `**`, `[a-z]`, `[!x]`, `{a,b}` and `\` for a literal, in time linear in pattern times path. */

export interface Glob {
  /** Whether the whole path matches; `/` separates its parts. */
  matches(path: string): boolean;
  /** Whether something below this folder could match. */
  mayMatchBelow(folder: string): boolean;
}

/** Alternatives that the braces of one pattern may spell out. */
const MAX_ALTERNATIVES = 1_000;

/**
 * Compiles a pattern. `*` and `?` stay within one part of a path and leave out names that begin with a dot unless the
 * pattern's part does too; `**` as a whole part stands for any number of parts; a trailing `/` for all below.
 * Throws RangeError when the braces spell out more than 1000 alternatives.
 */
export function compileGlob(pattern: string): Glob {
  const alternatives = expandBraces(pattern).map(compileParts);
  return {
    matches: (path) => alternatives.some((parts) => matchParts(parts, splitPath(path), false)),
    mayMatchBelow: (folder) => alternatives.some((parts) => matchParts(parts, splitPath(folder), true)),
  };
}

/** Whether a glob names this input, by its path as given or by its file name alone. */
export function globNamesInput(glob: Glob, name: string): boolean {
  return glob.matches(name) || glob.matches(name.slice(name.lastIndexOf('/') + 1));
}

export function hasGlobSyntax(path: string): boolean {
  return /[*?[{]/.test(path);
}

/** The leading folders of a pattern that hold no glob syntax, as in `logs/cp1` for `logs/cp1/*.log`; '' for none. */
export function globBase(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => hasGlobSyntax(part) || part.includes('\\'));
  const base = parts.slice(0, first < 0 ? -1 : first).join('/');
  return base === '' && pattern.startsWith('/') ? '/' : base;
}

type Token = { readonly kind: 'char'; readonly char: string } | { readonly kind: 'any' | 'star' } | ClassToken;
interface ClassToken {
  readonly kind: 'class';
  readonly negated: boolean;
  readonly ranges: readonly (readonly [string, string])[];
}
type Part = 'globstar' | { readonly tokens: readonly Token[]; readonly hidden: boolean };

function compileParts(pattern: string): Part[] {
  const parts = splitPath(pattern).map((part): Part => {
    if (part === '**') return 'globstar';
    return { tokens: tokenize(part), hidden: part.startsWith('.') };
  });
  return pattern.endsWith('/') && pattern !== '/' ? [...parts, 'globstar'] : parts;
}

/** Parts of a path; a leading `/` gives an empty first part, `.` parts and doubled slashes give none. */
function splitPath(path: string): string[] {
  return path.split('/').filter((part, at) => (part !== '' || at === 0) && part !== '.');
}

function tokenize(part: string): Token[] {
  const chars = [...part];
  const tokens: Token[] = [];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? '';
    if (char === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    } else if (char === '?') tokens.push({ kind: 'any' });
    else if (char === '\\' && at + 1 < chars.length) tokens.push({ kind: 'char', char: chars[++at] ?? '' });
    else if (char === '[') {
      const end = classEnd(chars, at);
      if (end < 0) tokens.push({ kind: 'char', char });
      else {
        tokens.push(parseClass(chars.slice(at + 1, end)));
        at = end;
      }
    } else tokens.push({ kind: 'char', char });
  }
  return tokens;
}

/** Index of the `]` that ends the class opened at `open`; a `]` right after the opening is a member. -1: no class. */
function classEnd(chars: readonly string[], open: number): number {
  const negated = chars[open + 1] === '!' || chars[open + 1] === '^';
  return chars.indexOf(']', open + (negated ? 3 : 2));
}

function parseClass(body: readonly string[]): ClassToken {
  const negated = body[0] === '!' || body[0] === '^';
  const members = negated ? body.slice(1) : body;
  const ranges: [string, string][] = [];
  for (let at = 0; at < members.length; at++) {
    const low = members[at] ?? '';
    if (members[at + 1] === '-' && at + 2 < members.length) {
      ranges.push([low, members[at + 2] ?? low]);
      at += 2;
    } else ranges.push([low, low]);
  }
  return { kind: 'class', negated, ranges };
}

/**
 * Matches parts with one point to return to, the last `**`, as wildcards need no more. With `prefix`, whether the path
 * can be the beginning of a match.
 */
function matchParts(parts: readonly Part[], path: readonly string[], prefix: boolean): boolean {
  let part = 0;
  let at = 0;
  let star = -1;
  let resume = 0;
  while (at < path.length) {
    const current = parts[part];
    const name = path[at] ?? '';
    if (current === 'globstar') {
      if (prefix) return true;
      star = part++;
      resume = at;
    } else if (current !== undefined && matchName(current.tokens, name, current.hidden)) {
      part++;
      at++;
    } else if (star >= 0 && !(path[resume] ?? '').startsWith('.')) {
      part = star + 1;
      at = ++resume;
    } else return false;
  }
  if (prefix) return part < parts.length;
  while (parts[part] === 'globstar') part++;
  return part === parts.length;
}

/** Matches one name with one point to return to, the last `*`. */
function matchName(tokens: readonly Token[], name: string, hidden: boolean): boolean {
  if (name.startsWith('.') && !hidden) return false;
  const chars = [...name];
  let token = 0;
  let at = 0;
  let star = -1;
  let resume = 0;
  while (at < chars.length) {
    const current = tokens[token];
    if (current?.kind === 'star') {
      star = token++;
      resume = at;
    } else if (current !== undefined && matchChar(current, chars[at] ?? '')) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++resume;
    } else return false;
  }
  while (tokens[token]?.kind === 'star') token++;
  return token === tokens.length;
}

function matchChar(token: Token, char: string): boolean {
  if (token.kind === 'any') return true;
  if (token.kind === 'char') return token.char === char;
  if (token.kind !== 'class') return false;
  return token.ranges.some(([low, high]) => low <= char && char <= high) !== token.negated;
}

/** The patterns that `{a,b}` spells out; braces without a comma or without an end are literal. */
function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = firstGroup(next);
    if (group === undefined) done.push(next);
    else for (const choice of group.choices) open.push(group.before + choice + group.after);
    if (done.length + open.length > MAX_ALTERNATIVES) {
      throw new RangeError(`the braces of ${pattern} spell out more than ${MAX_ALTERNATIVES} patterns; use * instead`);
    }
  }
  return done;
}

function firstGroup(pattern: string): { before: string; choices: string[]; after: string } | undefined {
  for (let start = 0; start < pattern.length; start++) {
    if (pattern[start] === '\\') start++;
    else if (pattern[start] === '{') {
      const choices = choicesAt(pattern, start);
      if (choices !== undefined) return { before: pattern.slice(0, start), ...choices };
    }
  }
  return undefined;
}

function choicesAt(pattern: string, start: number): { choices: string[]; after: string } | undefined {
  const choices: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === '\\') at++;
    else if (char === '{') depth++;
    else if (char === ',' && depth === 1) {
      choices.push(pattern.slice(from, at));
      from = at + 1;
    } else if (char === '}' && --depth === 0) {
      if (choices.length === 0) return undefined;
      return { choices: [...choices, pattern.slice(from, at)], after: pattern.slice(at + 1) };
    }
  }
  return undefined;
}
