/** HTTP attributes and statuses of the stable semantic conventions, for a request as one apiserver saw it. */
import { isIP } from 'node:net';
import { type Attributes, type SpanStatus, SpanStatusCode } from '@opentelemetry/api';
import type { ProxiedRequest } from '../../model/proxied-request.js';
import { methodOf } from './method.js';
import { routeOf } from './route.js';
import { safeText } from './safe-text.js';
import { uriParts } from './url.js';

const MAX_VERB = 64;
const MAX_USER_AGENT = 256;
const MAX_AUDIT_ID = 128;
const MAX_WORD = 253;

/** `{method} {route}`, the method alone where there is no route, and `HTTP` for a method nobody knows. */
export function spanName(method: string, route: string | undefined): string {
  const shown = method === '_OTHER' ? 'HTTP' : method;
  return route === undefined ? shown : `${shown} ${route}`;
}

export interface HttpFacts {
  readonly name: string;
  /** What all spans of the request share. */
  readonly attributes: Attributes;
  readonly route: string | undefined;
}

export function httpFacts(request: ProxiedRequest): HttpFacts {
  const method = methodOf(request.verb);
  const { path, shownPath, shownQuery } = uriParts(request.requestURI);
  const route = routeOf(path);
  const attributes: Attributes = {
    'audit-id': safeText(request.auditID, MAX_AUDIT_ID),
    'http.request.method': method,
    'url.scheme': 'https',
    'url.path': shownPath,
    'skewscope.verb': safeText(request.verb, MAX_VERB),
    'skewscope.resource': safeText(request.resource, MAX_WORD),
  };
  if (method === '_OTHER') attributes['http.request.method_original'] = safeText(request.verb, MAX_VERB);
  if (shownQuery !== '') attributes['url.query'] = shownQuery;
  if (request.userAgent !== '') attributes['user_agent.original'] = safeText(request.userAgent, MAX_USER_AGENT);
  if (request.namespace !== '') attributes['k8s.namespace.name'] = safeText(request.namespace, MAX_WORD);
  if (request.name !== '') attributes['skewscope.object.name'] = safeText(request.name, MAX_WORD);
  return { name: spanName(method, route), attributes, route };
}

/** `client.address` is the first address, a claim of the client; `network.peer.address` the last, the TCP peer. */
export function clientAttributes(sourceIPs: string): Attributes {
  const addresses = sourceIPs.split(',', 64).map((address) => address.trim());
  const first = addresses[0] ?? '';
  const last = addresses.at(-1) ?? '';
  return {
    ...(isIP(first) === 0 ? {} : { 'client.address': first }),
    ...(isIP(last) === 0 ? {} : { 'network.peer.address': last }),
  };
}

/** A server's span is an error from 500 on; the status code alone says so, hence no description. */
export function serverOutcome(code: number | null): { attributes: Attributes; status: SpanStatus } {
  return outcome(code, code !== null && code >= 500);
}

/** A client's span is an error from 400 on. */
export function clientOutcome(code: number | null): { attributes: Attributes; status: SpanStatus } {
  return outcome(code, code !== null && code >= 400);
}

function outcome(code: number | null, failed: boolean): { attributes: Attributes; status: SpanStatus } {
  return {
    attributes: {
      ...(code === null ? {} : { 'http.response.status_code': code }),
      ...(failed ? { 'error.type': String(code) } : {}),
    },
    status: { code: failed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
  };
}
