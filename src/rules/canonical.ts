/** One order for things that arrive in any: values compared by their canonical JSON, never by arrival or locale. */

/** JSON with sorted keys; equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => compareText(a, b));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Each value once, in the order of `compare`, else of its canonical JSON. */
export function union<T>(values: Iterable<T>, compare?: (a: T, b: T) => number): T[] {
  const byText = new Map<string, T>();
  for (const value of values) byText.set(canonicalJson(value), value);
  const entries = [...byText];
  entries.sort(([a, x], [b, y]) => (compare?.(x, y) ?? 0) || compareText(a, b));
  return entries.map(([, value]) => value);
}
