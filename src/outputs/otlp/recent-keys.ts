/** Remembers the latest keys in bounded memory: two generations, the older of which is dropped whole. */
export class RecentKeys {
  #young = new Set<string>();
  #old = new Set<string>();

  constructor(readonly max: number) {}

  has(key: string): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  /** True the first time, and again only when more than `max` other keys came between. */
  add(key: string): boolean {
    if (this.has(key)) return false;
    if (this.#young.size >= this.max) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(key);
    return true;
  }
}
