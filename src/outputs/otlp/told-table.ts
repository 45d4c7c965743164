/** A set of 64-bit hashes with a time each, in typed arrays: half a million of them take 12 MiB and no garbage. */

/** What stands for a told span or log record. */
export interface ToldKey {
  readonly hash: bigint;
  /** Event time, in seconds since the epoch, as 32 bits. */
  readonly atS: number;
}

/** Half of the places at most are taken, so that a search is short. */
const FIRST_PLACES = 1 << 10;

export class ToldTable {
  /** 0 is an empty place; the hash 0 is kept as 1. */
  #hashes = new BigUint64Array(FIRST_PLACES);
  #times = new Uint32Array(FIRST_PLACES);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(hash: bigint): boolean {
    return this.#hashes[this.#place(hash)] !== 0n;
  }

  /** The latest time of a hash; undefined when it is not there. */
  timeOf(hash: bigint): number | undefined {
    const place = this.#place(hash);
    return this.#hashes[place] === 0n ? undefined : this.#times[place];
  }

  /** False when it was there already with that time or a later one. */
  add({ hash, atS }: ToldKey): boolean {
    let place = this.#place(hash);
    if (this.#hashes[place] !== 0n) {
      if ((this.#times[place] ?? 0) >= atS) return false;
      this.#times[place] = atS;
      return true;
    }
    if ((this.#size + 1) * 2 > this.#hashes.length) {
      this.#rebuild(this.#hashes.length * 2, () => true);
      place = this.#place(hash);
    }
    this.#hashes[place] = hash === 0n ? 1n : hash;
    this.#times[place] = atS;
    this.#size += 1;
    return true;
  }

  *keys(): Generator<ToldKey> {
    for (const [place, hash] of this.#hashes.entries()) if (hash !== 0n) yield { hash, atS: this.#times[place] ?? 0 };
  }

  /**
   * Keeps the latest `count` by time, and of these what is at most `ageS` older than the latest hundredth: a few records
   * from a clock that runs ahead must not make all others old.
   */
  prune(count: number, ageS: number): void {
    const times = this.#sortedTimes();
    const typical = times[Math.floor(times.length * 0.99)] ?? 0;
    const oldest = Math.max(typical - ageS, times[times.length - count] ?? 0);
    let room = count;
    this.#rebuild(this.#hashes.length, (atS) => atS >= oldest && room-- > 0);
  }

  #sortedTimes(): Uint32Array {
    const times = new Uint32Array(this.#size);
    let count = 0;
    for (let place = 0; place < this.#hashes.length; place++) {
      if (this.#hashes[place] !== 0n) times[count++] = this.#times[place] ?? 0;
    }
    return times.sort();
  }

  /** Where the hash is, or where it would go. */
  #place(hash: bigint): number {
    const sought = hash === 0n ? 1n : hash;
    const mask = this.#hashes.length - 1;
    let place = Number(sought & 0xffffffffn) & mask;
    while (this.#hashes[place] !== 0n && this.#hashes[place] !== sought) place = (place + 1) & mask;
    return place;
  }

  #rebuild(places: number, stays: (atS: number) => boolean): void {
    const hashes = this.#hashes;
    const times = this.#times;
    this.#hashes = new BigUint64Array(places);
    this.#times = new Uint32Array(places);
    this.#size = 0;
    for (const [place, hash] of hashes.entries()) {
      const atS = times[place] ?? 0;
      if (hash !== 0n && stays(atS)) this.add({ hash, atS });
    }
  }
}
