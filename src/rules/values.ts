/** Observations as expressions see them: whole numbers as BigInt, everything else as it is. */
import type { Observation } from '../model/observations/index.js';
import { cleanText } from './sanitize.js';
import type { FieldsByType, ValueShape } from './value-shape.js';

/** Fields that an observation lacks and other types of `fields` have are null. */
export type ValueReader = (observation: Observation) => Record<string, unknown>;

/** Observations for conditions: their text untouched. */
export function conditionReader(fields: FieldsByType): ValueReader {
  return reader(fields, (text) => text);
}

/** Observations for texts: every string bounded and cleaned. */
export function textReader(fields: FieldsByType): ValueReader {
  return reader(fields, (text) => cleanText(text));
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

function reader(fields: FieldsByType, text: (text: string) => string): ValueReader {
  const names = Object.values(fields).flatMap((own) => Object.keys(own));
  const blank = Object.fromEntries(names.map((name) => [name, null]));
  return (observation) => {
    const own = fields[observation.type];
    return Object.assign({ ...blank }, convert(observation, own === undefined ? 'other' : { fields: own }, text));
  };
}

function convert(value: unknown, shape: ValueShape | undefined, text: (text: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') return shape === 'whole' ? BigInt(value) : value;
  if (Array.isArray(value)) {
    const items = typeof shape === 'object' && 'items' in shape ? shape.items : undefined;
    return value.map((item) => convert(item, items, text));
  }
  if (value !== null && typeof value === 'object') {
    const fields = typeof shape === 'object' && 'fields' in shape ? shape.fields : undefined;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, convert(item, fields?.[key], text)]));
  }
  return value;
}
