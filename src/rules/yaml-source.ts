/** A YAML text with a way back from values to the line and column where they stand. */
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument, type Scalar } from 'yaml';
import { fileError, type RuleError, RuleErrors } from './rule-error.js';

export const MAX_RULE_BYTES = 256 * 1024;
const MAX_ALIASES = 20;

export type Path = readonly (string | number)[];

export interface YamlSource {
  readonly value: unknown;
  /** An error at the value under a path (or the nearest value around it), `at` characters into its text. */
  error(path: Path, message: string, alternatives?: readonly string[], at?: number): RuleError;
  /** The same, but at a key of the mapping under the path. */
  keyError(path: Path, key: string, message: string, alternatives?: readonly string[]): RuleError;
  lineOf(path: Path): number;
}

/** Throws RuleErrors on text that is no YAML, too large, or nested without end. */
export function readYaml(text: string, file: string): YamlSource {
  if (Buffer.byteLength(text) > MAX_RULE_BYTES) {
    throw new RuleErrors([fileError(file, `is larger than ${MAX_RULE_BYTES / 1024} KiB; a rule file holds one rule`)]);
  }
  const lines = new LineCounter();
  const document = parse(text, file, lines);
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const problems = [...document.errors, ...document.warnings];
  if (problems.length > 0) {
    throw new RuleErrors(
      problems.map((problem) => ({
        file,
        ...place(problem.pos[0]),
        message: problem.message,
        alternatives: [],
      })),
    );
  }
  return {
    value: plainValue(document, file),
    error: (path, message, alternatives = [], at = 0) => ({
      file,
      ...place(offsetOf(document, path, text, at)),
      message,
      alternatives,
    }),
    keyError: (path, key, message, alternatives = []) => ({
      file,
      ...place(keyOffset(document, path, key)),
      message,
      alternatives,
    }),
    lineOf: (path) => place(offsetOf(document, path, text, 0)).line,
  };
}

function parse(text: string, file: string, lineCounter: LineCounter): Document {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false });
  } catch (error) {
    throw unreadable(file, error);
  }
}

function plainValue(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): RuleErrors {
  return new RuleErrors([fileError(file, `cannot be read as YAML: ${error instanceof Error ? error.message : error}`)]);
}

function offsetOf(document: Document, path: Path, text: string, at: number): number {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (!isNode(node) || !node.range) continue;
    if (isScalar(node) && length === path.length && at > 0) return offsetInScalar(node, text, at);
    return isScalar(node) ? textStart(node, text) : node.range[0];
  }
  return 0;
}

function keyOffset(document: Document, path: Path, key: string): number {
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  if (!isMap(node)) return isNode(node) ? (node.range?.[0] ?? 0) : 0;
  const pair = node.items.find(({ key: name }) => isScalar(name) && String(name.value) === key);
  return isNode(pair?.key) ? (pair.key.range?.[0] ?? 0) : (node.range?.[0] ?? 0);
}

/** Where the text of a scalar begins: after the quote, or on the line below `|` and `>`. */
function textStart(node: Scalar, text: string): number {
  const start = node.range?.[0] ?? 0;
  if (node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE') return start + 1;
  if (node.type !== 'BLOCK_FOLDED' && node.type !== 'BLOCK_LITERAL') return start;
  const line = text.indexOf('\n', start) + 1;
  return line + (/^\s*/.exec(text.slice(line))?.[0].length ?? 0);
}

/** Walks text and value side by side: folding, indentation and escapes make their characters differ. */
function offsetInScalar(node: Scalar, text: string, at: number): number {
  const value = String(node.value);
  let offset = textStart(node, text);
  for (let index = 0; index < at && index < value.length; index++) {
    if (/\s/.test(value[index] ?? '')) {
      const more = /\s/.test(value[index + 1] ?? '');
      offset += more ? 1 : (/^\s*/.exec(text.slice(offset, offset + 4_096))?.[0].length ?? 1);
    } else if (node.type === 'QUOTE_DOUBLE' && text[offset] === '\\') offset += 2;
    else if (node.type === 'QUOTE_SINGLE' && text[offset] === "'" && text[offset + 1] === "'") offset += 2;
    else offset += 1;
  }
  return offset;
}
