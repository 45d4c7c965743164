/** Which audit events an apiserver caused itself, by its own client. */
import type { AuditEvent } from '../../model/record.js';

export const LOOPBACK_USER = 'system:apiserver';
export const IDENTITY_NAME = /^apiserver-[a-z2-7]{26}$/;
const LOOPBACK_IP = /^(127\.|::1$)/;

/**
 * Tells what an apiserver asked itself from what its peers ask it. Peers that fetch discovery come as the same user, but
 * without system:masters; but the informers of a peer that lacks an API come over the peer's proxy as what they are there:
 * with system:masters, without a uid or, where the proxy passes it on, with the uid of the peer's boot.
 */
export class OwnClient {
  /** Where the apiserver asks itself over the address that it listens on; '' until it is known. */
  #address = '';

  isSender(event: AuditEvent): boolean {
    if (event.username !== LOOPBACK_USER) return false;
    const { userUID, groups, sourceIPs } = event;
    // A proxy has added its address to that of the client.
    if (userUID === LOOPBACK_USER || userUID === '' || sourceIPs.includes(',')) return false;
    if (!groups.includes('system:masters')) return false;
    if (isLoopbackAddress(sourceIPs) || sourceIPs === this.#address) return true;
    if (!isNeverProxied(event)) return false;
    this.#address = sourceIPs;
    return true;
  }
}

/** Paths that are no resources, and the lease that an apiserver renews for itself. */
function isNeverProxied({ resource, name }: AuditEvent): boolean {
  return resource === '' || (resource === 'leases' && IDENTITY_NAME.test(name));
}

export function isLoopbackAddress(ip: string): boolean {
  return LOOPBACK_IP.test(ip);
}
