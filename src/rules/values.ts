/** Observations as expressions see them: whole numbers as BigInt, everything else as it is. */
import type { z } from 'zod';
import type { Observation } from '../model/observations/index.js';
import { OBSERVATION_TYPES } from '../model/observations/index.js';
import { cleanText } from './sanitize.js';
import { elementOf, isWhole, shapeOf, unwrap } from './schema-shape.js';

/** The observation for conditions: its text untouched. `fields` that it lacks are null. */
export function conditionValue(observation: Observation, fields: readonly string[]): Record<string, unknown> {
  return observationValue(observation, fields, (text) => text);
}

/** The observation for texts: every string bounded and cleaned. */
export function textValue(observation: Observation, fields: readonly string[]): Record<string, unknown> {
  return observationValue(observation, fields, (text) => cleanText(text));
}

/** A value computed from expressions in a form that JSON can hold. */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
  }
  return value;
}

function observationValue(
  observation: Observation,
  fields: readonly string[],
  text: (text: string) => string,
): Record<string, unknown> {
  const value: Record<string, unknown> = Object.fromEntries(fields.map((field) => [field, null]));
  const schema = OBSERVATION_TYPES.get(observation.type)?.schema;
  return Object.assign(value, convert(observation, schema, text));
}

function convert(value: unknown, schema: z.core.$ZodType | undefined, text: (text: string) => string): unknown {
  const inner = schema === undefined ? undefined : unwrap(schema);
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') return inner !== undefined && isWhole(inner) ? BigInt(value) : value;
  if (Array.isArray(value)) {
    const element = inner === undefined ? undefined : elementOf(inner);
    return value.map((item) => convert(item, element, text));
  }
  if (value !== null && typeof value === 'object') {
    const shape = inner === undefined ? undefined : shapeOf(inner);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, convert(item, shape?.[key], text)]));
  }
  return value;
}
