/** What zod says about a rule file, in words for its author and at the place where it stands. */
import type { z } from 'zod';
import { alternativesFor, type RuleError } from './rule-error.js';
import { ruleFileSchema } from './rule-schema.js';
import { elementOf, type FieldSchema, shapeOf, unwrap } from './schema-shape.js';
import type { Path, YamlSource } from './yaml-source.js';

/** `value` is what was checked, for telling absent from wrong; `fields` are the keys known where the schema of rules does not tell. */
export function schemaErrors(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  source: YamlSource,
  fields: readonly string[] = [],
): RuleError[] {
  return issues.flatMap((issue) => errorsOf(issue, value, source, fields));
}

function errorsOf(issue: z.core.$ZodIssue, value: unknown, source: YamlSource, fields: readonly string[]): RuleError[] {
  const path: Path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  const words = path.filter((key) => typeof key === 'string');
  const name = (words.at(-1) === 'default' ? words.at(-2) : words.at(-1)) ?? 'rule';
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) =>
        source.keyError(
          path,
          key,
          `unknown key "${key}"`,
          alternativesFor(key, fields.length > 0 ? fields : keysAt(path)),
        ),
      );
    case 'invalid_value': {
      const given = valueAt(source.value, path);
      if (given === undefined) return [source.error(path, `"${name}" is missing`, issue.values.map(String))];
      const word = String(given);
      return [source.error(path, `unknown ${noun(name)} "${word}"`, alternativesFor(word, issue.values.map(String)))];
    }
    case 'invalid_type':
      if (value !== undefined && valueAt(value, path) === undefined) {
        return [source.error(path, `"${name}" is missing`)];
      }
      return [source.error(path, `"${name}" must be ${article(issue.expected)}`)];
    default:
      return [source.error(path, `"${name}": ${issue.message}`)];
  }
}

function noun(name: string): string {
  return name === 'consumes' || name === 'type' ? 'observation type' : name === 'needs' ? 'capability' : name;
}

function article(type: string): string {
  const names: Record<string, string> = { array: 'a list', object: 'a mapping', string: 'text', int: 'a whole number' };
  return names[type] ?? `a ${type}`;
}

function valueAt(value: unknown, path: Path): unknown {
  let inner = value;
  for (const key of path) {
    if (inner === null || typeof inner !== 'object') return inner;
    inner = (inner as Record<string | number, unknown>)[key];
  }
  return inner;
}

/** The keys that the schema of rule files knows under a path. */
function keysAt(path: Path): string[] {
  let schema: FieldSchema | undefined = ruleFileSchema;
  for (const key of path) {
    if (schema === undefined) return [];
    const inner: FieldSchema = withoutDefault(schema);
    schema = typeof key === 'number' ? elementOf(inner) : shapeOf(inner)?.[key];
  }
  return schema === undefined ? [] : Object.keys(shapeOf(withoutDefault(schema)) ?? {});
}

function withoutDefault(schema: FieldSchema): FieldSchema {
  const inner = unwrap(schema) as FieldSchema & { unwrap?: () => FieldSchema };
  const type = inner._zod.def.type;
  return (type === 'default' || type === 'optional') && inner.unwrap ? withoutDefault(inner.unwrap()) : inner;
}
