/** What the zod schemas of observations say about fields, for checking expressions before they run. */
import { z } from 'zod';
import { OBSERVATION_TYPES } from '../model/observations/index.js';
import type { FieldsByType, ValueShape } from './value-shape.js';

export type FieldSchema = z.core.$ZodType;
export type Shape = Readonly<Record<string, FieldSchema>>;

/** The schema behind `nullable`. */
export function unwrap(schema: FieldSchema): FieldSchema {
  return schema instanceof z.ZodNullable ? unwrap(schema.unwrap()) : schema;
}

export function shapeOf(schema: FieldSchema): Shape | undefined {
  return schema instanceof z.ZodObject ? schema.shape : undefined;
}

export function elementOf(schema: FieldSchema): FieldSchema | undefined {
  return schema instanceof z.ZodArray ? schema.element : undefined;
}

export function isWhole(schema: FieldSchema): boolean {
  return schema instanceof z.ZodNumber && schema.isInt;
}

/** The strings that a field can hold; undefined when any. */
export function wordsOf(schema: FieldSchema): readonly string[] | undefined {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodEnum) return inner.options.map(String);
  if (inner instanceof z.ZodLiteral) return [...inner.values].map(String);
  return undefined;
}

/** The fields of all these observation types together: name to the schemas it has among them. */
export function fieldsOf(types: readonly string[]): Map<string, FieldSchema[]> {
  const fields = new Map<string, FieldSchema[]>();
  for (const type of types) {
    const schema = OBSERVATION_TYPES.get(type)?.schema;
    for (const [name, field] of Object.entries((schema && shapeOf(schema)) ?? {})) {
      fields.set(name, [...(fields.get(name) ?? []), field]);
    }
  }
  return fields;
}

/** The same by type, as far as it matters for showing values to expressions. */
export function valueFieldsOf(types: readonly string[]): FieldsByType {
  return Object.fromEntries(types.map((type) => [type, shapesOf(OBSERVATION_TYPES.get(type)?.schema)]));
}

function shapesOf(schema: FieldSchema | undefined): Record<string, ValueShape> {
  const shape = (schema && shapeOf(schema)) ?? {};
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, valueShapeOf(field)]));
}

function valueShapeOf(schema: FieldSchema): ValueShape {
  const inner = unwrap(schema);
  if (isWhole(inner)) return 'whole';
  const element = elementOf(inner);
  if (element !== undefined) return { items: valueShapeOf(element) };
  return shapeOf(inner) === undefined ? 'other' : { fields: shapesOf(inner) };
}

/** A CEL type as the expression checker takes it: a name, or the fields of an object. */
export type CelType = string | { [field: string]: CelType };

/** `dyn` for what can be null, for enumerations of several types, and for fields that only some types have. */
export function celTypeOf(schema: FieldSchema): CelType {
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral) return 'string';
  if (schema instanceof z.ZodNumber) return isWhole(schema) ? 'int' : 'double';
  if (schema instanceof z.ZodBoolean) return 'bool';
  if (schema instanceof z.ZodArray) {
    const element = celTypeOf(schema.element);
    return typeof element === 'string' ? `list<${element}>` : 'list<map>';
  }
  const shape = shapeOf(schema);
  if (shape === undefined) return 'dyn';
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, celTypeOf(field)]));
}

/** The type of `o` for a rule that reads these observation types. */
export function celFieldsOf(types: readonly string[]): { [field: string]: CelType } {
  const fields: { [field: string]: CelType } = {};
  for (const [name, schemas] of fieldsOf(types)) {
    const known = schemas.map(celTypeOf);
    const same = known.every((type) => JSON.stringify(type) === JSON.stringify(known[0]));
    fields[name] = same && schemas.length === types.length ? (known[0] ?? 'dyn') : 'dyn';
  }
  return fields;
}
