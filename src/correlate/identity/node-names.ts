/**
 * Names of the nodes that requests are about, as kubelets report the state of theirs: the one whose hash is an apiserver's
 * identity is where that apiserver runs, whatever its inputs are called and whether its leases have bodies or not.
 */
import { identityOf } from './identity-hash.js';

const LIMIT = 10_000;
/** Longest name of a node in Kubernetes. */
const NAME_LIMIT = 253;

export class NodeNames {
  readonly #names = new Set<string>();
  readonly #byIdentity = new Map<string, string>();

  take(name: string): void {
    if (this.#names.has(name) || this.#names.size >= LIMIT || name.length > NAME_LIMIT) return;
    this.#names.add(name);
    // A node may be called by its full name and the machine by the first word of it.
    for (const host of new Set([name, name.split('.')[0] ?? name])) this.#byIdentity.set(identityOf(host), host);
  }

  /** The host on which the apiserver with this identity runs; undefined when no request was about its node. */
  of(identity: string): string | undefined {
    return this.#byIdentity.get(identity);
  }
}
