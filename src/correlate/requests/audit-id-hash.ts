/** The hash by which requests are looked up: of the Audit-ID's first 64 UTF-16 units, two at a time. */
import type { AuditEvent } from '../../model/record.js';

/** An event that brings the hash of its Audit-ID along, so that nobody need look at the ID itself. */
export interface KeyedEvent extends AuditEvent {
  readonly auditIDHash: number;
}

export function hashAuditID(id: string): number {
  const length = Math.min(id.length, 64);
  let hash = 0x811c9dc5;
  let at = 0;
  for (; at + 1 < length; at += 2) {
    hash = Math.imul(hash ^ id.charCodeAt(at) ^ (id.charCodeAt(at + 1) << 12), 0x01000193);
  }
  if (at < length) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
