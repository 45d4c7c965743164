/**
 * The garbage collector's lookups of owners that ended in 404, and what it deleted after them. An owner once found
 * absent is remembered by the collector, so its dependents go without another lookup: each deletion is attributed to
 * the newest lookup before it in the same namespace.
 */
import type { AuditEvent } from '../../model/record.js';
import { quoteEvent } from '../evidence.js';
import type { Half } from '../requests/half.js';
import { type NotFoundShape, notFoundShape } from '../serving/outcomes.js';
import type { Life } from '../writer.js';

const LOOKUPS_PER_NAMESPACE = 64;
const NAMESPACES = 2_000;
const DELETIONS = 5_000;

export interface OwnerLookup {
  readonly life: Life;
  readonly resource: number;
  readonly namespace: string;
  readonly name: string;
  readonly timeUs: number;
  readonly shape: NotFoundShape;
  /** Requests under its Audit-ID: a partner at a destination makes it a relayed answer. */
  readonly group: Half;
  readonly line: number;
  readonly offset: number;
  readonly quote: string;
}

export interface Deletion {
  readonly life: Life;
  readonly resource: number;
  readonly namespace: string;
  readonly name: string;
  readonly timeUs: number;
  readonly line: number;
  readonly offset: number;
  readonly quote: string;
  readonly lookup: OwnerLookup;
}

export class CollectorLog {
  readonly deletions: Deletion[] = [];
  requests = 0;
  overflow = 0;
  readonly #lookups = new Map<string, OwnerLookup[]>();

  /** Takes a final event of the collector. */
  take(event: AuditEvent, life: Life, resource: number, group: Half | undefined): void {
    this.requests += 1;
    if (resource === 0 || event.name === '') return;
    if (event.verb === 'get' && event.code === 404 && group !== undefined) this.#lookup(event, life, resource, group);
    else if (event.verb === 'delete' && event.code < 300) this.#deletion(event, life, resource);
  }

  #lookup(event: AuditEvent, life: Life, resource: number, group: Half): void {
    let lookups = this.#lookups.get(event.namespace);
    if (lookups === undefined) {
      if (this.#lookups.size >= NAMESPACES) this.#lookups.clear();
      lookups = [];
      this.#lookups.set(event.namespace, lookups);
    }
    lookups.push({
      life,
      resource,
      namespace: event.namespace,
      name: event.name,
      timeUs: event.timeUs,
      shape: notFoundShape(event),
      group,
      line: event.line,
      offset: event.offset,
      quote: quoteEvent(event),
    });
    if (lookups.length > LOOKUPS_PER_NAMESPACE) lookups.shift();
  }

  #deletion(event: AuditEvent, life: Life, resource: number): void {
    const at = event.receivedUs || event.timeUs;
    const lookup = newest(this.#lookups.get(event.namespace), this.#lookups.get(''), at);
    if (lookup === undefined || lookup.shape === 'object') return;
    if (this.deletions.length >= DELETIONS) {
      this.overflow += 1;
      return;
    }
    const { namespace, name, line, offset } = event;
    this.deletions.push({
      life,
      resource,
      namespace,
      name,
      timeUs: at,
      line,
      offset,
      quote: quoteEvent(event),
      lookup,
    });
  }
}

function newest(a: readonly OwnerLookup[] = [], b: readonly OwnerLookup[] = [], before = 0): OwnerLookup | undefined {
  let best: OwnerLookup | undefined;
  for (const lookups of a === b ? [a] : [a, b]) {
    for (const lookup of lookups) {
      if (lookup.timeUs <= before && (best === undefined || lookup.timeUs > best.timeUs)) best = lookup;
    }
  }
  return best;
}
