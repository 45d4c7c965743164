/** Leaves out of an audit event what correlation never reads: the bodies, which make up most of an audit log at level Request and above. */
import { crc32 } from 'node:zlib';
import type { AuditEvent, ByteRange } from '../../model/record.js';

/** What stands for a body is never longer; shorter bodies stay. */
const MIN_BODY = 24;

/**
 * Copies the event's JSON to `target` at `at`, and gives where it ends. A body is replaced by a text made of its length
 * and its checksum, so that two events which differ in nothing else still differ. `target` has room for the whole event.
 */
export function slimInto(event: AuditEvent, target: Buffer, at: number): number {
  const { bytes, start, end } = event;
  let from = start;
  let to = at;
  for (const { start: bodyStart, end: bodyEnd } of bodiesOf(event)) {
    to += bytes.copy(target, to, from, bodyStart);
    to += target.write(
      `"${crc32(bytes.subarray(bodyStart, bodyEnd)).toString(36)}.${bodyEnd - bodyStart}"`,
      to,
      'latin1',
    );
    from = bodyEnd;
  }
  return to + bytes.copy(target, to, from, end);
}

/** Those that may go, in the order in which they stand. */
function bodiesOf(event: AuditEvent): ByteRange[] {
  const { requestObject, responseObject } = event;
  const bodies: ByteRange[] = [];
  if (requestObject !== undefined && !isIdentityLease(event)) bodies.push(requestObject);
  if (responseObject !== undefined) bodies.push(responseObject);
  return bodies.filter(({ start, end }) => end - start > MIN_BODY).sort((a, b) => a.start - b.start);
}

/** Its body names the server's address. */
function isIdentityLease({ resource, name }: AuditEvent): boolean {
  return resource === 'leases' && name.startsWith('apiserver-');
}
