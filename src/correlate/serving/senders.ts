/**
 * From which addresses requests came, and which of them only ever hand on those of others: a peer does, and so does a
 * balancer that tells whom it speaks for.
 */
import type { AuditEvent } from '../../model/record.js';
import { lastOf } from '../requests/pairing.js';

const LIMIT = 20_000;

export class Senders {
  /** true for an address that came for itself. */
  readonly #addresses = new Map<string, boolean>();
  #last = '';
  /** Addresses that were not kept. */
  overflow = 0;

  take({ sourceIPs }: AuditEvent): void {
    if (sourceIPs === this.#last) return;
    this.#last = sourceIPs;
    const address = lastOf(sourceIPs);
    const forItself = address === sourceIPs;
    const known = this.#addresses.get(address);
    if (known === true || known === forItself) return;
    if (known === undefined && this.#addresses.size >= LIMIT) this.overflow += 1;
    else this.#addresses.set(address, forItself);
  }

  /** Addresses from which nothing came but what others had asked. */
  *forwarders(): Generator<string> {
    for (const [address, forItself] of this.#addresses) if (!forItself) yield address;
  }
}
