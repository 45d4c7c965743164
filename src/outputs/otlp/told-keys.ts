/** Identities of spans and log records that hold over restarts, as short hashes. */
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { Finding } from '../../model/finding.js';
import type { ProxiedRequest } from '../../model/proxied-request.js';
import { recordIdOf } from './ids.js';
import { sourceTraceId } from './request-spans.js';
import { isFailure } from './sampling.js';
import type { ToldKey } from './told-table.js';

/** Of all spans of a request. One that was open, or had reached nobody, is told anew when more is known of it. */
export function requestKey(request: ProxiedRequest): ToldKey {
  const { source, destination } = request;
  const state = [source.doneUs !== null, destination !== null, isFailure(request)].map(Number).join('');
  return keyOf(source.receivedUs, 'request', sourceTraceId(request), state);
}

export function recordKey({ attributes, hrTime }: ReadableLogRecord): ToldKey {
  return keyOf(hrTime[0] * 1_000_000, 'record', String(attributes['log.record.uid']));
}

/** Of a finding whatever its state; its time is that of the latest evidence. */
export function findingKey({ cluster, fingerprint, to }: Finding): ToldKey {
  return keyOf(to, 'finding', cluster, fingerprint);
}

const MAX_S = 0xffff_ffff;

function keyOf(atUs: number, ...parts: readonly string[]): ToldKey {
  const atS = Math.min(MAX_S, Math.max(0, Math.floor(atUs / 1_000_000)));
  return { hash: BigInt(`0x${recordIdOf('told', ...parts).slice(0, 16)}`), atS: Number.isFinite(atS) ? atS : 0 };
}
