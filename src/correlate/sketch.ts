/** Bounded summaries whose result does not depend on the order in which values come. */

/**
 * A sample of at most `limit` values: those whose keys hash lowest, so the same pairs of key and value always give
 * the same sample. The largest value is kept exactly.
 */
export class Sample {
  #kept: { hash: number; value: number }[] = [];
  #count = 0;
  #max = Number.NEGATIVE_INFINITY;

  constructor(readonly limit = 512) {}

  get count(): number {
    return this.#count;
  }
  get max(): number {
    return this.#max;
  }

  add(key: string, value: number): void {
    this.#count += 1;
    if (value > this.#max) this.#max = value;
    this.#kept.push({ hash: hashOf(key), value });
    if (this.#kept.length >= this.limit * 2) this.#trim();
  }

  merge(other: Sample): void {
    this.#count += other.#count;
    if (other.#max > this.#max) this.#max = other.#max;
    this.#kept.push(...other.#kept);
    this.#trim();
  }

  /** The q-quantile (0 to 1) of the sample; NaN when empty. */
  quantile(q: number): number {
    this.#trim();
    const sorted = this.#kept.map((entry) => entry.value).sort((a, b) => a - b);
    const at = Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1));
    return sorted[at] ?? Number.NaN;
  }

  #trim(): void {
    if (this.#kept.length <= this.limit) return;
    this.#kept.sort((a, b) => a.hash - b.hash || a.value - b.value);
    this.#kept.length = this.limit;
  }
}

/** Counts by name for at most `limit` names; what is over the limit is counted under `others`. */
export class NameCounts {
  #counts = new Map<string, number>();
  #others = 0;

  constructor(readonly limit = 32) {}

  get others(): number {
    return this.#others;
  }

  add(name: string, count = 1): void {
    const known = this.#counts.get(name);
    if (known !== undefined) this.#counts.set(name, known + count);
    else if (this.#counts.size < this.limit) this.#counts.set(name, count);
    else this.#others += count;
  }

  merge(other: NameCounts): void {
    for (const [name, count] of other.#counts) this.add(name, count);
    this.#others += other.#others;
  }

  has(name: string): boolean {
    return this.#counts.has(name);
  }

  /** Names by count, most first, then by name. */
  names(): string[] {
    return [...this.#counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name);
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }
}

/** FNV-1a over UTF-16 units: cheap, and only used to choose samples. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
