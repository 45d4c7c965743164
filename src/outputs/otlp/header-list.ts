/** Headers as OTEL_EXPORTER_OTLP_HEADERS writes them: `name=value,name=value`, values percent-encoded. */

/** Names in lower case; undefined when a part is no header, or holds what HTTP does not allow. */
export function parseHeaders(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const part of text.split(',').map((entry) => entry.trim())) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(0, at)).trim().toLowerCase();
    const value = decoded(part.slice(at + 1).trim());
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || value === undefined) return undefined;
    if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value)) return undefined;
    headers[name] = value;
  }
  return headers;
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
