/** Groups items that share a key. */
export class Union<T> {
  readonly #parent = new Map<T, T>();
  readonly #byKey = new Map<string, T>();

  add(item: T): void {
    if (!this.#parent.has(item)) this.#parent.set(item, item);
  }

  /** Puts the item into the group that has the key. */
  key(item: T, key: string): void {
    const other = this.#byKey.get(key);
    if (other === undefined) this.#byKey.set(key, item);
    else this.join(item, other);
  }

  join(a: T, b: T): void {
    this.#parent.set(this.root(a), this.root(b));
  }

  root(item: T): T {
    let root = item;
    for (let up = this.#parent.get(root); up !== undefined && up !== root; up = this.#parent.get(root)) root = up;
    this.#parent.set(item, root);
    return root;
  }

  groups(): T[][] {
    const groups = new Map<T, T[]>();
    for (const item of this.#parent.keys()) {
      const root = this.root(item);
      const group = groups.get(root);
      if (group === undefined) groups.set(root, [item]);
      else group.push(item);
    }
    return [...groups.values()];
  }
}
