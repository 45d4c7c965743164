/** What identity leases say of servers: hostname, peer address, holder; from audit bodies and from lease lists. */

import type { InputRef } from '../../model/origin.js';
import type { AuditEvent, Lease } from '../../model/record.js';
import { EvidenceSet } from '../evidence.js';
import type { Life } from '../writer.js';

const ADDRESS_ANNOTATION = 'kubernetes.io/peer-advertise-address';
const HOSTNAME_LABEL = 'kubernetes.io/hostname';
const LIMIT = 2_000;

/** One version of a lease: what its holder told its peers. `peerAddress` is '' where the annotation is absent. */
export interface LeaseFact {
  readonly identity: string;
  readonly hostname: string;
  readonly peerAddress: string;
  from: number;
  to: number;
  /** When the lease was made, as a list says; 0 where none does. */
  createdUs: number;
  readonly evidence: EvidenceSet;
}

/** What one input lists, and the newest renewal in it: about when it was made. */
export interface LeaseList {
  readonly identities: Set<string>;
  listedAt: number;
}

export class LeaseBook {
  readonly #facts = new Map<string, LeaseFact>();
  readonly #readFor = new Set<number>();
  /** The newest renewal in any lease list: about when the lists, and what was fetched with them, were taken. */
  listedAt = 0;
  /** By the id of the input. */
  readonly lists = new Map<number, LeaseList>();

  /** Reads the body of an own renewal, once for each life: the annotation cannot change within one. */
  fromAudit(event: AuditEvent, life: Life): void {
    if (event.requestObject === undefined || this.#readFor.has(life.id)) return;
    const body = parseBody(event, event.requestObject);
    if (body === undefined) return;
    this.#readFor.add(life.id);
    const labels = record(body.labels);
    const annotations = record(body.annotations);
    const fact = this.#fact(
      event.name,
      text(labels[HOSTNAME_LABEL]),
      text(annotations[ADDRESS_ANNOTATION]),
      event.timeUs,
    );
    const quote = `lease ${event.name}: ${ADDRESS_ANNOTATION}=${fact.peerAddress === '' ? '(absent)' : fact.peerAddress}`;
    fact.evidence.add(event.timeUs, life.writer.input, event.line, event.offset, quote);
  }

  fromList(lease: Lease, input: InputRef): void {
    const at = lease.renewedUs || lease.createdUs;
    this.listedAt = Math.max(this.listedAt, at);
    this.#list(lease.name, input, at);
    const fact = this.#fact(lease.name, lease.hostname, lease.peerAddress, at);
    const quote = `lease ${lease.name}: ${ADDRESS_ANNOTATION}=${lease.peerAddress === '' ? '(absent)' : lease.peerAddress}`;
    if (lease.createdUs !== 0) fact.createdUs = Math.max(fact.createdUs, lease.createdUs);
    fact.evidence.add(at, input, lease.line, lease.offset, quote);
  }

  /** All facts of an identity, the newest last. */
  of(identity: string): LeaseFact[] {
    return [...this.#facts.values()]
      .filter((f) => f.identity === identity)
      .sort((a, b) => a.to - b.to || a.from - b.from);
  }

  identities(): string[] {
    return [...new Set([...this.#facts.values()].map((fact) => fact.identity))].sort();
  }

  get empty(): boolean {
    return this.#facts.size === 0;
  }

  #list(identity: string, { id }: InputRef, at: number): void {
    let list = this.lists.get(id);
    if (list === undefined) {
      if (this.lists.size >= LIMIT) return;
      list = { identities: new Set(), listedAt: 0 };
      this.lists.set(id, list);
    }
    if (list.identities.size < LIMIT) list.identities.add(identity);
    list.listedAt = Math.max(list.listedAt, at);
  }

  #fact(identity: string, hostname: string, peerAddress: string, at: number): LeaseFact {
    const key = `${identity} ${hostname} ${peerAddress}`;
    let fact = this.#facts.get(key);
    if (fact === undefined) {
      fact = { identity, hostname, peerAddress, from: at, to: at, createdUs: 0, evidence: new EvidenceSet() };
      if (this.#facts.size < LIMIT) this.#facts.set(key, fact);
    }
    fact.from = Math.min(fact.from, at);
    fact.to = Math.max(fact.to, at);
    return fact;
  }
}

function parseBody(event: AuditEvent, range: { start: number; end: number }): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(event.bytes.toString('utf8', range.start, range.end));
    return record(record(body).metadata);
  } catch {
    // The decoder has checked the event; a body that a shipper re-encoded may still not parse, and proves nothing.
    return undefined;
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 300) : '';
}
