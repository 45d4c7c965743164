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

/** The `items` of a list of Kubernetes, where null is an empty one; what is no list holds one thing that cannot be read. */
export function itemsOf({ items }: JsonObject): readonly unknown[] {
  if (items === null) return [];
  return Array.isArray(items) ? items : [undefined];
}

/** A member that is a string, cut to a bounded length; '' otherwise. */
export function stringAt(value: JsonObject, key: string): string {
  const member = value[key];
  return typeof member === 'string' ? member.slice(0, 1024) : '';
}
