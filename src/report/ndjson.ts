/** The result as NDJSON: one line for each thing, so that line-wise tools can pick what they want. */
import { Readable } from 'node:stream';
import ndjson from 'ndjson';
import type { Analysis } from '../model/analysis.js';
import { escapeJson } from './json.js';
import { toResult } from './result.js';

/**
 * Lines in this order, told apart by `kind`: one `analysis` (schema, window, clusters, proxied totals), then `finding`,
 * `server`, `route`, `discovery`, `not-found`, `input`, `unjudged`. Fields are those of the JSON result; where an element
 * has a `kind` of its own it is called `inputKind` or `notFoundKind` here.
 */
export function ndjsonStream(analysis: Analysis): Readable {
  const lines = Readable.from([...records(analysis)]).pipe(ndjson.stringify());
  return Readable.from(harmless(lines), { objectMode: false });
}

/** The same as one string, newline-terminated. */
export async function renderNdjson(analysis: Analysis): Promise<string> {
  let text = '';
  for await (const line of ndjsonStream(analysis)) text += String(line);
  return text;
}

function* records(analysis: Analysis): Generator<object> {
  const result = toResult(analysis);
  const { total, failed, routes } = result.proxied;
  yield {
    kind: 'analysis',
    schema: result.schema,
    window: result.window,
    clusters: result.clusters,
    proxied: { total, failed },
  };
  for (const finding of result.findings) yield { kind: 'finding', ...finding };
  for (const server of result.servers) yield { kind: 'server', ...server };
  for (const route of routes) yield { kind: 'route', ...route };
  for (const cell of result.discovery) yield { kind: 'discovery', ...cell };
  for (const { kind: notFoundKind, ...rest } of result.notFound) yield { kind: 'not-found', notFoundKind, ...rest };
  for (const { kind: inputKind, ...rest } of result.inputs) yield { kind: 'input', inputKind, ...rest };
  for (const rule of result.unjudged) yield { kind: 'unjudged', ...rule };
}

async function* harmless(lines: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const line of lines) yield escapeJson(String(line));
}
