/**
 * Which offset of a partition may be committed: the lowest one that an open window needs. Records are nearly in order of
 * time, so one number for each slot is enough.
 */

export class OffsetLedger {
  /** Lowest offset of the records in each slot. */
  readonly #lowest = new Map<number, number>();
  #lastSlot = Number.NaN;
  #position: number;

  /** `position`: the next offset to be read. */
  constructor(position: number) {
    this.#position = position;
  }

  /** The next offset to be taken. */
  get position(): number {
    return this.#position;
  }

  /** A record of the message at `offset` counts for the slot. Offsets come in order. */
  note(slot: number, offset: number): void {
    if (slot === this.#lastSlot) return;
    this.#lastSlot = slot;
    const known = this.#lowest.get(slot);
    if (known === undefined || offset < known) this.#lowest.set(slot, offset);
  }

  /** Everything below `position` was taken. */
  advance(position: number): void {
    if (position > this.#position) this.#position = position;
  }

  /** Slots below are closed: what they needed may be forgotten. */
  closeBelow(slot: number): void {
    for (const known of this.#lowest.keys()) if (known < slot) this.#lowest.delete(known);
  }

  /** Everything below this offset belongs to closed slots. */
  get settled(): number {
    let settled = this.#position;
    for (const offset of this.#lowest.values()) if (offset < settled) settled = offset;
    return settled;
  }
}
