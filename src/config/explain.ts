/** Mistakes of the configuration file in words, each with file, line and column, and what was probably meant. */
import { z } from 'zod';
import { alternativesFor } from '../rules/rule-error.js';
import type { YamlSource } from '../rules/yaml-source.js';

export type Path = readonly (string | number)[];
type Issue = z.core.$ZodIssue;

/** One `FILE:LINE:COLUMN: what; what to do` for each thing that is wrong. */
export function explain(issue: Issue, source: YamlSource, schema: z.core.$ZodType): string[] {
  const path: Path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  const given = valueAt(source.value, path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => {
        const known = knownKeys(schema, source.value, path);
        return keyPlace(source, path, key, `unknown key "${key}"${suggestion(key, known)}`);
      });
    case 'invalid_value':
      return [mistakeAt(path, notOneOf(given, issue.values.map(String)), source)];
    case 'invalid_type':
      // Its own words, where the field has any.
      if (!/^Invalid input/.test(issue.message)) return [mistakeAt(path, issue.message, source)];
      return [mistakeAt(path, `${given === undefined ? MISSING : ''}must be ${nounOf(issue.expected)}`, source)];
    case 'invalid_union': {
      if (issue.discriminator !== undefined) {
        return [mistakeAt(path, notOneOf(given, 'options' in issue ? [issue.options].flat().map(String) : []), source)];
      }
      const meant = meantBranch(issue.errors);
      if (meant === undefined) return [mistakeAt(path, issue.message, source)];
      return meant.flatMap((inner) => explain({ ...inner, path: [...issue.path, ...inner.path] }, source, schema));
    }
    case 'too_small':
      return [mistakeAt(path, 'is empty; leave it out or give a value', source)];
    case 'invalid_key':
      return [mistakeAt(path, issue.issues[0]?.message ?? issue.message, source)];
    default:
      return [mistakeAt(path, issue.message, source)];
  }
}

/** `message` goes behind the name of the key. */
export function mistakeAt(path: Path, message: string, source: YamlSource): string {
  const where = path.length === 0 ? 'the file' : `\`${path.join('.')}\``;
  return place(source, path, `${where} ${message}`);
}

export function place(source: YamlSource, path: Path, message: string): string {
  const { file, line, column } = source.error(path, message);
  return `${file}:${line}:${column}: ${message}`;
}

const MISSING = 'is missing; it ';
const NOUNS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  number: 'a number',
  object: 'a mapping',
  record: 'a mapping',
  string: 'text',
};

function nounOf(expected: string): string {
  return NOUNS[expected] ?? `a ${expected}`;
}

function notOneOf(given: unknown, known: readonly string[]): string {
  if (given === undefined) return `${MISSING}must be one of ${known.join(', ')}`;
  const shown = typeof given === 'object' ? 'a list or a mapping' : `"${given}"`;
  return `is ${shown}, which is not one of ${known.join(', ')}${suggestion(String(given), known, false)}`;
}

/** Of several forms, the one that the value has but for a detail; undefined when it has none of them. */
function meantBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const inner = branches.find((issues) => issues.some(({ path }) => path.length > 0));
  return inner ?? branches.find((issues) => issues.some(({ code }) => code === 'custom' || code === 'invalid_format'));
}

/** The keys that a mapping under the path may have; of several forms, those of the form that the value chose. */
function knownKeys(schema: z.core.$ZodType, value: unknown, path: Path): string[] {
  const [first, ...rest] = path;
  const inside = first === undefined ? undefined : valueAt(value, [first]);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault) {
    return knownKeys(schema.unwrap() as z.core.$ZodType, value, path);
  }
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const chosen = valueAt(value, [schema.def.discriminator]);
    const form = schema.options.find((option) => accepts(option, schema.def.discriminator, chosen));
    return form === undefined ? [] : knownKeys(form, value, path);
  }
  if (schema instanceof z.ZodArray) return knownKeys(schema.element as z.core.$ZodType, inside, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  if (first === undefined) return Object.keys(schema.shape);
  const next: z.core.$ZodType | undefined = schema.shape[String(first)];
  return next === undefined ? [] : knownKeys(next, inside, rest);
}

function accepts(option: z.core.$ZodType, key: string, value: unknown): boolean {
  const field: unknown = option instanceof z.ZodObject ? option.shape[key] : undefined;
  return field instanceof z.ZodLiteral && field.values.has(value as z.core.util.Literal);
}

/** The nearest known names; all of them when none is near and `listAll`. */
function suggestion(word: string, known: readonly string[], listAll = true): string {
  const near = alternativesFor(word, known);
  if (near.length < known.length && near.length <= 3) return `; did you mean ${near.join(' or ')}?`;
  return listAll ? `; known: ${known.join(', ')}` : '';
}

function keyPlace(source: YamlSource, path: Path, key: string, message: string): string {
  const { file, line, column } = source.keyError(path, key, message);
  return `${file}:${line}:${column}: ${message}`;
}

function valueAt(value: unknown, path: Path): unknown {
  let inner = value;
  for (const key of path) {
    if (typeof inner !== 'object' || inner === null) return undefined;
    inner = (inner as Record<string | number, unknown>)[key];
  }
  return inner;
}
