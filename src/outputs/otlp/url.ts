/** What of a request's URI may leave the program: a bounded path, and a query with the values of known parameters only. */
import { safeText } from './safe-text.js';

const MAX_PATH = 512;
const MAX_QUERY = 512;
const MAX_PAIRS = 32;
const MAX_VALUE = 128;

/** Parameters of the Kubernetes API whose values say what was asked for and hold no data. */
const SHOWN = new Set([
  'allowWatchBookmarks',
  'dryRun',
  'fieldManager',
  'fieldSelector',
  'fieldValidation',
  'follow',
  'force',
  'gracePeriodSeconds',
  'labelSelector',
  'limit',
  'orphanDependents',
  'pretty',
  'propagationPolicy',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'shardSelector',
  'tailLines',
  'timeout',
  'timeoutSeconds',
  'watch',
]);

export interface UriParts {
  /** As the client sent it, without the query: for the route. */
  readonly path: string;
  /** For `url.path`: bounded; what follows `/proxy/` belongs to another server and is left out. */
  readonly shownPath: string;
  /** For `url.query`: bounded; values of unknown parameters are `REDACTED`. '' without a query. */
  readonly shownQuery: string;
}

export function uriParts(uri: string): UriParts {
  const mark = uri.indexOf('?');
  const path = mark < 0 ? uri : uri.slice(0, mark);
  const proxied = /^(\/api\/[^/]+\/.*?\/proxy\/)./s.exec(path.slice(0, MAX_PATH * 2));
  return {
    path,
    shownPath: safeText(proxied === null ? path : `${proxied[1]}…`, MAX_PATH),
    shownQuery: mark < 0 ? '' : shownQuery(uri.slice(mark + 1)),
  };
}

function shownQuery(query: string): string {
  const pairs = query
    .slice(0, MAX_QUERY * 8)
    .split('&')
    .slice(0, MAX_PAIRS);
  const shown = pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at < 0) return safeText(pair, MAX_VALUE);
    const key = pair.slice(0, at);
    return `${safeText(key, MAX_VALUE)}=${SHOWN.has(key) ? safeText(pair.slice(at + 1), MAX_VALUE) : 'REDACTED'}`;
  });
  return safeText(shown.join('&'), MAX_QUERY);
}
