/** OTLP's typed values (`{"stringValue": …}`, `{"kvlistValue": …}`) as plain JSON. */
import { isObject } from '../documents/index.js';

const MAX_DEPTH = 64;

/** A string, number, boolean, array, object, null, or a Buffer for a bytes value that is not inside another one. */
export function plainValue(value: unknown, depth = 0): unknown {
  if (!isObject(value) || depth > MAX_DEPTH) return typeof value === 'string' ? value : null;
  for (const key of Object.keys(value)) {
    const inner = value[key];
    switch (key) {
      case 'stringValue':
      case 'string_value':
      case 'boolValue':
      case 'bool_value':
      case 'doubleValue':
      case 'double_value':
        return inner;
      case 'intValue':
      case 'int_value':
        return typeof inner === 'string' || typeof inner === 'number' ? Number(inner) : null;
      case 'bytesValue':
      case 'bytes_value':
        return depth === 0 && typeof inner === 'string' ? Buffer.from(inner, 'base64') : inner;
      case 'arrayValue':
      case 'array_value':
        return listOf(inner).map((each) => plainValue(each, depth + 1));
      case 'kvlistValue':
      case 'kvlist_value':
        return Object.fromEntries(
          listOf(inner)
            .filter(isObject)
            .map((pair) => [typeof pair.key === 'string' ? pair.key : '', plainValue(pair.value, depth + 1)]),
        );
    }
  }
  return null;
}

function listOf(value: unknown): readonly unknown[] {
  return isObject(value) && Array.isArray(value.values) ? value.values : [];
}
