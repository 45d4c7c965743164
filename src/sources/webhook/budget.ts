/** Counts the bytes of bodies that are in memory, so that they stay below a bound whoever sends. */

export class Budget {
  held = 0;
  peak = 0;

  constructor(private readonly most: number) {}

  hasRoom(bytes: number): boolean {
    return this.held + bytes <= this.most;
  }

  open(): Hold {
    return new Hold(this);
  }
}

/** The part of one body. It grows by what has come, not by what was announced: who announces much and sends little holds little. */
export class Hold {
  #bytes = 0;

  constructor(private readonly budget: Budget) {}

  /** False, and nothing changes, when there is no room. */
  grow(bytes: number): boolean {
    if (!this.budget.hasRoom(bytes)) return false;
    this.#bytes += bytes;
    this.budget.held += bytes;
    this.budget.peak = Math.max(this.budget.peak, this.budget.held);
    return true;
  }

  /** May be called twice. */
  release(): void {
    this.budget.held -= this.#bytes;
    this.#bytes = 0;
  }
}
