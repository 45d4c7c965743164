/** Recognises the two controllers that destroy things on a wrong 404, by user agent or by user. */

export type Controller = 'garbage-collector' | 'namespace-controller' | undefined;

const LIMIT = 5_000;

export class Controllers {
  readonly #known = new Map<string, Controller>();

  /** Cheap for a repeated pair of user agent and user: both are shared strings. */
  of(userAgent: string, username: string): Controller {
    const byAgent = this.#classify(userAgent);
    return (
      byAgent ?? (username.startsWith('system:serviceaccount:kube-system:') ? this.#classify(username) : undefined)
    );
  }

  #classify(text: string): Controller {
    if (this.#known.has(text)) return this.#known.get(text);
    if (this.#known.size >= LIMIT) this.#known.clear();
    const controller = text.endsWith('generic-garbage-collector')
      ? 'garbage-collector'
      : text.endsWith('namespace-controller')
        ? 'namespace-controller'
        : undefined;
    this.#known.set(text, controller);
    return controller;
  }
}
