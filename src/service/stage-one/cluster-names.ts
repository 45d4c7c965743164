/** Sees whether some records name their cluster and others do not, and says so: then they do not meet. */

/** Names that are remembered; one more makes no difference to what is said. */
const MAX_NAMES = 1_000;

export class ClusterNames {
  readonly #names = new Set<string>();
  readonly #onNote: (text: string) => void;

  constructor(onNote: (text: string) => void) {
    this.#onNote = onNote;
  }

  /** A record came from the cluster of this name; '' where it names none. */
  readonly see = (cluster: string): void => {
    if (this.#names.has(cluster) || this.#names.size >= MAX_NAMES) return;
    this.#names.add(cluster);
    if (this.#names.size === 1 || !this.#names.has('')) return;
    const named = [...this.#names].find((name) => name !== '');
    this.#onNote(
      `some records name a cluster (${JSON.stringify(named)}) and others none, so they are not correlated with each other; set "cluster" in the configuration for those that name none`,
    );
  };
}
