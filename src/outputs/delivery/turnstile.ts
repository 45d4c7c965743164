/** Lets everybody who waits for the next change go on at once. */

export class Turnstile {
  #next = withResolve();

  /** Resolves at the next turn. */
  get turned(): Promise<void> {
    return this.#next.promise;
  }

  turn(): void {
    const { resolve } = this.#next;
    this.#next = withResolve();
    resolve();
  }
}

function withResolve(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
