/** Requests that are still running: a heap by due time over flat arrays, because a watch may be open for ten minutes. */

export class Timetable {
  /** Audit ids of the running requests, four words a slot. */
  ids = new Uint32Array(4 * 1024);
  received = new Float64Array(1024);
  number = new Uint32Array(1024);
  server = new Uint32Array(1024);
  template = new Uint32Array(1024);
  #due = new Float64Array(1024);
  #heap = new Uint32Array(1024);
  /** @type {number[]} */
  #free = [];
  #size = 0;
  #slots = 0;

  /** Microseconds of the next line; Infinity when nothing is running. */
  get nextDue() {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#dueAt(0);
  }

  /** A slot for one line to come; the caller fills ids, received, number, server and template, then calls push. */
  reserve() {
    const slot = this.#free.pop() ?? this.#slots++;
    if (slot >= this.received.length) this.#grow();
    return slot;
  }

  /** @param {number} slot @param {number} dueUs */
  push(slot, dueUs) {
    this.#due[slot] = dueUs;
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#dueAt(parent) <= dueUs) break;
      this.#heap[at] = this.#heap[parent] ?? 0;
      at = parent;
    }
    this.#heap[at] = slot;
  }

  /** Takes the slot that is due first; its values stay readable until the next reserve(). */
  pop() {
    const first = this.#heap[0] ?? 0;
    const last = this.#heap[--this.#size] ?? 0;
    const due = this.#due[last] ?? 0;
    let at = 0;
    for (let child = 1; child < this.#size; child = 2 * at + 1) {
      if (child + 1 < this.#size && this.#dueAt(child + 1) < this.#dueAt(child)) child++;
      if (this.#dueAt(child) >= due) break;
      this.#heap[at] = this.#heap[child] ?? 0;
      at = child;
    }
    this.#heap[at] = last;
    this.#free.push(first);
    return first;
  }

  /** @param {number} position */
  #dueAt(position) {
    return this.#due[this.#heap[position] ?? 0] ?? 0;
  }

  #grow() {
    this.ids = doubled(this.ids);
    this.received = doubled(this.received);
    this.number = doubled(this.number);
    this.server = doubled(this.server);
    this.template = doubled(this.template);
    this.#due = doubled(this.#due);
    this.#heap = doubled(this.#heap);
  }
}

/**
 * @template {Uint32Array | Float64Array} T
 * @param {T} array
 * @returns {T}
 */
function doubled(array) {
  const Kind = /** @type {new (length: number) => T} */ (array.constructor);
  const larger = new Kind(array.length * 2);
  larger.set(array);
  return larger;
}
