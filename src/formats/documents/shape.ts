/** Careful looks into parsed JSON of unknown shape: a wrong type reads as absent and never throws. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member that is an object; an empty one otherwise. */
export function objectAt(value: JsonObject, key: string): JsonObject {
  const member = value[key];
  return isObject(member) ? member : {};
}

/** The objects of a member that is an array; none otherwise. */
export function objectsAt(value: JsonObject, key: string): readonly JsonObject[] {
  const member = value[key];
  return Array.isArray(member) ? member.filter(isObject) : [];
}

/** A member that is a string, cut to a bounded length; '' otherwise. */
export function stringAt(value: JsonObject, key: string): string {
  const member = value[key];
  return typeof member === 'string' ? member.slice(0, 1024) : '';
}
