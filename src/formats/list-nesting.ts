/** What the values being read are items of: nothing, a bare array, or the `items` of an EventList, itself perhaps in an array. */
export class ListNesting {
  kind: 'none' | 'array' | 'items' = 'none';
  /** Bodies of kind EventList so far. */
  bodies = 0;
  /** An item was damaged: that the end of the list is missing is no news. */
  isHurt = false;
  /** What the EventList stands in. */
  private outer: 'none' | 'array' = 'none';

  enterArray(): void {
    this.kind = 'array';
    this.isHurt = false;
  }

  enterItems(): void {
    this.outer = this.kind === 'array' ? 'array' : 'none';
    this.kind = 'items';
    this.isHurt = false;
  }

  /** Back to what the EventList stands in. */
  leaveItems(): void {
    this.kind = this.outer;
  }

  leave(): void {
    this.kind = 'none';
  }
}
