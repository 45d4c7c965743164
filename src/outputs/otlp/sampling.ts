/** Which requests become spans: a share of the ones that went well, decided by trace id, and all that failed. */
import type { ProxiedRequest } from '../../model/proxied-request.js';
import { sourceTraceId } from './request-spans.js';

/** 56 bits of the id are random enough to decide by, as the W3C trace context level 2 has it: the last fourteen digits. */
const DIGITS = 14;
const RANGE = 16 ** DIGITS;

/** True for failures; else the same answer for the same request everywhere, and true for `ratio` (0 to 1) of them. */
export function isSampled(request: ProxiedRequest, ratio: number): boolean {
  if (ratio >= 1 || isFailure(request)) return true;
  return Number.parseInt(sourceTraceId(request).slice(-DIGITS), 16) >= (1 - ratio) * RANGE;
}

/** It reached nobody, was cut, answered with a server's error, or the destination did not accept the proxy. */
export function isFailure({ source, destination, cause }: ProxiedRequest): boolean {
  if (destination === null || cause !== null) return true;
  return [source.code, destination.code].some((code) => code !== null && (code >= 500 || code === 401));
}
