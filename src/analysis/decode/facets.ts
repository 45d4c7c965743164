/**
 * Two groups of fields that audit logs repeat all the time: who asked, and for what. Each distinct group is sent to the
 * other thread once, as a row of a table, and then goes by its number.
 */
import type { AuditEvent } from '../../model/record.js';

export type Client = Pick<AuditEvent, 'username' | 'userUID' | 'groups' | 'impersonated' | 'sourceIPs' | 'userAgent'>;
export type Target = Pick<AuditEvent, 'verb' | 'resource' | 'namespace' | 'apiGroup' | 'apiVersion' | 'subresource'>;

/** Rows of one table; both threads begin anew when it is full, so that hostile logs cannot grow it. */
export const MAX_ROWS = 8_192;
/** Characters of a row; what is longer stays in its event. */
const MAX_ROW = 2_000;
const SLOTS = 1 << 11;

interface Slot<T> {
  readonly id: number;
  readonly row: T;
}

/** Numbers the rows of one table, and keeps the new ones until they are sent. */
class RowBook<T> {
  fresh: T[] = [];
  readonly #ids = new Map<string, number>();

  get isFull(): boolean {
    return this.#ids.size >= MAX_ROWS;
  }

  id(key: string, row: T): number {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#ids.size;
    this.#ids.set(key, id);
    this.fresh.push(row);
    return id;
  }

  takeFresh(): T[] {
    const { fresh } = this;
    this.fresh = [];
    return fresh;
  }
}

/** Decoded strings are mostly the very same objects again, so that a slot's row is compared in no time. */
export class ClientTable {
  readonly book = new RowBook<Client>();
  readonly #slots: (Slot<Client> | undefined)[] = new Array<undefined>(SLOTS).fill(undefined);

  /** The number of the event's row; -1 when it is too long for the table. */
  id(event: AuditEvent): number {
    const { username, sourceIPs, userAgent } = event;
    const nameEnd = username.length - 1;
    const ipEnd = sourceIPs.length - 1;
    let hash = Math.imul(nameEnd ^ (ipEnd << 8) ^ (userAgent.length << 16), 0x9e3779b1);
    if (nameEnd >= 2) hash ^= (username.charCodeAt(nameEnd) << 3) ^ (username.charCodeAt(nameEnd - 1) << 7);
    if (ipEnd >= 2) hash ^= (sourceIPs.charCodeAt(ipEnd) << 5) ^ (sourceIPs.charCodeAt(ipEnd - 1) << 1);
    const at = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    const slot = this.#slots[at];
    if (
      slot !== undefined &&
      slot.row.username === username &&
      slot.row.userAgent === userAgent &&
      slot.row.sourceIPs === sourceIPs &&
      slot.row.groups === event.groups &&
      slot.row.userUID === event.userUID &&
      slot.row.impersonated === event.impersonated
    ) {
      return slot.id;
    }
    const { userUID, groups, impersonated } = event;
    const key = keyOf(username, userUID, groups, impersonated, sourceIPs, userAgent);
    if (key === undefined) return -1;
    const row = { username, userUID, groups, impersonated, sourceIPs, userAgent };
    const id = this.book.id(key, row);
    this.#slots[at] = { id, row };
    return id;
  }
}

export class TargetTable {
  readonly book = new RowBook<Target>();
  readonly #slots: (Slot<Target> | undefined)[] = new Array<undefined>(SLOTS).fill(undefined);

  /** The number of the event's row; -1 when it is too long for the table. */
  id(event: AuditEvent): number {
    const { verb, resource, namespace } = event;
    const verbEnd = verb.length - 1;
    const spaceEnd = namespace.length - 1;
    let hash = Math.imul(
      resource.length ^ (verbEnd << 8) ^ (spaceEnd << 16) ^ (event.apiGroup.length << 24),
      0x9e3779b1,
    );
    if (verbEnd >= 0) hash ^= (verb.charCodeAt(0) << 4) ^ (verb.charCodeAt(verbEnd) << 6);
    if (spaceEnd >= 2) hash ^= (namespace.charCodeAt(spaceEnd) << 3) ^ (namespace.charCodeAt(spaceEnd - 1) << 7);
    if (resource.length >= 2) hash ^= resource.charCodeAt(0) ^ (resource.charCodeAt(1) << 5);
    const at = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    const slot = this.#slots[at];
    if (
      slot !== undefined &&
      slot.row.verb === verb &&
      slot.row.resource === resource &&
      slot.row.namespace === namespace &&
      slot.row.apiGroup === event.apiGroup &&
      slot.row.apiVersion === event.apiVersion &&
      slot.row.subresource === event.subresource
    ) {
      return slot.id;
    }
    const { apiGroup, apiVersion, subresource } = event;
    const key = keyOf(verb, resource, namespace, apiGroup, apiVersion, subresource);
    if (key === undefined) return -1;
    const row = { verb, resource, namespace, apiGroup, apiVersion, subresource };
    const id = this.book.id(key, row);
    this.#slots[at] = { id, row };
    return id;
  }
}

/** Unambiguous whatever the values hold; undefined when they are too long. */
function keyOf(a: string, b: string, c: string, d: string, e: string, f: string): string | undefined {
  if (a.length + b.length + c.length + d.length + e.length + f.length > MAX_ROW) return undefined;
  return `${a.length} ${b.length} ${c.length} ${d.length} ${e.length} ${a}${b}${c}${d}${e}${f}`;
}
