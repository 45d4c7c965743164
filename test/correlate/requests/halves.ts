/** Requests as halves, straight from what servers wrote: one writer for each server, one life for each writer. */

import { Half } from '../../../src/correlate/requests/half.js';
import { ResourceTable } from '../../../src/correlate/resource-table.js';
import { type Life, Writers } from '../../../src/correlate/writer.js';
import { events, refOf, type TestServer } from '../kit.js';

/** All requests of the servers, those of one Audit-ID chained as the request table chains them. */
export function halvesOf(servers: readonly TestServer[], mixed = false): Map<string, Half> {
  const writers = new Writers();
  const resources = new ResourceTable();
  const heads = new Map<string, Half>();
  for (const [id, { name, audit }] of servers.entries()) {
    const writer = writers.of(refOf(`${name}-audit.log`, mixed ? 0 : id));
    writer.mixed = mixed;
    for (const event of events(audit)) {
      const resource = resources.id(event.resource, event.apiGroup, event.apiVersion);
      join(heads, event.auditID, event, writer.current, resource);
    }
  }
  return heads;
}

function join(
  heads: Map<string, Half>,
  auditID: string,
  event: ConstructorParameters<typeof Half>[0],
  life: Life,
  resource: number,
): void {
  let last: Half | undefined;
  for (let half = heads.get(auditID) ?? null; half !== null; half = half.next) {
    if (half.owns(event)) {
      half.take(event);
      return;
    }
    last = half;
  }
  const fresh = new Half(event, life, resource);
  if (last === undefined) heads.set(auditID, fresh);
  else last.next = fresh;
}
