/** A proxied request as spans: the source's SERVER, the hop as CLIENT below it, the destination's SERVER below that. */
import { type Attributes, type SpanContext, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { ProxiedRequest, RequestSide } from '../../model/proxied-request.js';
import { alignDestination, hopMs } from './clock.js';
import { clientAttributes, clientOutcome, type HttpFacts, httpFacts, serverOutcome } from './http-attributes.js';
import { spanIdOf, traceIdOf } from './ids.js';
import type { ServerResources } from './resources.js';
import { safeText } from './safe-text.js';
import { buildSpan, contextOf, type SpanFacts } from './span.js';

const MAX_NAME = 253;
const MAX_PLACE = 512;

/**
 * Two spans for a request that reached nobody (the CLIENT span then carries the cause as `error.type`), else three in
 * one trace. Of an ambiguous join the destination's span is a trace of its own, and it and the CLIENT span link to each
 * other. Equal requests give equal spans, whatever else was read.
 */
export function requestSpans(request: ProxiedRequest, resources: ServerResources): ReadableSpan[] {
  const http = httpFacts(request);
  const traceId = sourceTraceId(request);
  const { source, destination, ambiguous } = request;
  const server = contextOf(traceId, spanIdOf(traceId, 'source', source.receivedUs));
  const hop = contextOf(traceId, spanIdOf(traceId, 'hop', source.receivedUs));
  const far = destination === null ? undefined : farContext(request, destination, traceId);
  const links = ambiguous && far !== undefined ? [far] : [];
  const spans = [sourceSpan(request, resources, http, server), hopSpan(request, resources, http, hop, server, links)];
  if (destination === null || far === undefined) return spans.map(buildSpan);
  const relation = ambiguous ? { links: [hop] } : { parent: hop };
  return [...spans, { ...farSpan({ ...request, destination }, resources, http, far), ...relation }].map(buildSpan);
}

/**
 * The trace of the client's request: whether it is kept is decided by this id. A server stands in ids by the moment at
 * which it received the request, which its log states to the microsecond: its name may be learnt only later, and differ
 * when the logs are read again.
 */
export function sourceTraceId({ cluster, auditID, source }: ProxiedRequest): string {
  return traceIdOf(cluster, auditID, source.receivedUs);
}

function farContext(
  { cluster, auditID, ambiguous }: ProxiedRequest,
  { receivedUs }: RequestSide,
  traceId: string,
): SpanContext {
  const own = ambiguous ? traceIdOf(cluster, auditID, 'destination', receivedUs) : traceId;
  return contextOf(own, spanIdOf(own, 'destination', receivedUs));
}

function sourceSpan(
  request: ProxiedRequest,
  resources: ServerResources,
  http: HttpFacts,
  context: SpanContext,
): SpanFacts {
  const { source, cluster } = request;
  const { attributes, status } = serverOutcome(source.code);
  return {
    context,
    name: http.name,
    kind: SpanKind.SERVER,
    startUs: source.receivedUs,
    endUs: lastSign(request),
    status,
    attributes: {
      ...http.attributes,
      ...routeAttribute(http),
      ...clientAttributes(request.sourceIPs),
      ...attributes,
      ...joinAttributes(request),
      ...placeAttributes(source),
      'skewscope.side': 'source',
    },
    resource: resources.of(cluster, source.server, source.receivedUs),
  };
}

/** No log tells when the hop began and ended: it has the source's bounds, and what is measured stands in `hop_ms`. */
function hopSpan(
  request: ProxiedRequest,
  resources: ServerResources,
  http: HttpFacts,
  context: SpanContext,
  parent: SpanContext,
  links: readonly SpanContext[],
): SpanFacts {
  const { source, destination, cluster } = request;
  const { attributes, status } = hopOutcome(request);
  const own = hopMs(request);
  const endpoint = destination === null ? undefined : resources.endpointOf(cluster, destination.server);
  return {
    context,
    parent,
    links,
    name: http.name,
    kind: SpanKind.CLIENT,
    startUs: source.receivedUs,
    endUs: lastSign(request),
    status,
    attributes: {
      ...http.attributes,
      ...(endpoint === undefined ? {} : { 'server.address': endpoint.address }),
      ...(endpoint?.port == null ? {} : { 'server.port': endpoint.port }),
      ...attributes,
      ...joinAttributes(request),
      ...(own === null ? {} : { 'skewscope.hop_ms': own }),
      'skewscope.side': 'hop',
    },
    resource: resources.of(cluster, source.server, source.receivedUs),
  };
}

function farSpan(
  request: ProxiedRequest & { destination: RequestSide },
  resources: ServerResources,
  http: HttpFacts,
  context: SpanContext,
): SpanFacts {
  const { destination, cluster } = request;
  const { startUs, endUs, correctionUs } = alignDestination(request);
  const { attributes, status } = serverOutcome(destination.code);
  const endpoint = resources.endpointOf(cluster, destination.server);
  const first = clientAttributes(request.sourceIPs)['client.address'];
  return {
    context,
    name: http.name,
    kind: SpanKind.SERVER,
    startUs,
    endUs,
    status,
    attributes: {
      ...http.attributes,
      ...routeAttribute(http),
      ...(first === undefined ? {} : { 'client.address': first }),
      ...(endpoint === undefined ? {} : { 'server.address': endpoint.address }),
      ...(endpoint?.port == null ? {} : { 'server.port': endpoint.port }),
      ...attributes,
      ...joinAttributes(request),
      ...placeAttributes(destination),
      'skewscope.side': 'destination',
      'skewscope.clock.skew_us': Math.round(request.skewUs),
      'skewscope.clock.correction_us': Math.round(correctionUs),
    },
    resource: resources.of(cluster, destination.server, destination.receivedUs),
  };
}

/** What the source saw of the hop: the destination's answer, or an error whose cause its process log may name. */
function hopOutcome({ source, destination, cause }: ProxiedRequest): ReturnType<typeof clientOutcome> {
  const answered = destination !== null && (source.code === destination.code || (source.code ?? 0) < 500);
  if (answered && cause === null) return clientOutcome(destination.code ?? source.code);
  if (answered) {
    const { attributes } = clientOutcome(destination.code ?? source.code);
    return { attributes: { ...attributes, 'error.type': cause ?? '_OTHER' }, status: { code: SpanStatusCode.ERROR } };
  }
  const type = cause ?? '_OTHER';
  return { attributes: { 'error.type': type }, status: { code: SpanStatusCode.ERROR, message: failureText(type) } };
}

function failureText(type: string): string {
  return type === '_OTHER' ? 'the hop failed; no process log names the cause' : `the hop failed: ${type}`;
}

function joinAttributes({ source, destination, cause, ambiguous }: ProxiedRequest): Attributes {
  return {
    'skewscope.source': safeText(source.server, MAX_NAME),
    ...(destination === null ? {} : { 'skewscope.destination': safeText(destination.server, MAX_NAME) }),
    'skewscope.reached': destination !== null,
    ...(cause === null ? {} : { 'skewscope.cause': cause }),
    ...(ambiguous ? { 'skewscope.ambiguous': true } : {}),
    ...(source.doneUs === null ? { 'skewscope.open': true } : {}),
  };
}

function placeAttributes({ input, line }: RequestSide): Attributes {
  return { 'skewscope.log.input': safeText(input, MAX_PLACE), 'skewscope.log.line': line };
}

function routeAttribute({ route }: HttpFacts): Attributes {
  return route === undefined ? {} : { 'http.route': route };
}

/** When the source was done; while it is open, the latest that is known of the request. */
function lastSign({ source, destination, skewUs }: ProxiedRequest): number {
  if (source.doneUs !== null) return source.doneUs;
  if (destination === null) return source.receivedUs;
  return Math.max(source.receivedUs, (destination.doneUs ?? destination.receivedUs) - skewUs);
}
