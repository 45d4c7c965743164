/**
 * What was created in each namespace, what the namespace controller collected, and what it left when it finalized:
 * the trace of a hidden resource is the collection that never came.
 */
import type { AuditEvent } from '../../model/record.js';
import { quoteEvent } from '../evidence.js';
import type { ResourceTable } from '../resource-table.js';
import type { Life } from '../writer.js';
import type { Controller } from './controllers.js';

const NAMESPACES = 2_000;
const OBJECTS_PER_RESOURCE = 64;
const FINALIZED = 1_000;

interface Created {
  readonly life: Life;
  readonly resource: number;
  readonly timeUs: number;
}

interface NamespaceState {
  /** By resource without version, then by name. */
  readonly objects: Map<string, Map<string, Created>>;
  readonly collected: Set<string>;
  collections: number;
}

export interface LeftBehind {
  readonly resource: number;
  readonly name: string;
  readonly createdBy: Life;
  readonly createdAt: number;
}

export interface Finalized {
  readonly life: Life;
  readonly namespace: string;
  readonly timeUs: number;
  readonly line: number;
  readonly offset: number;
  readonly quote: string;
  /** Objects of resources that the controller did not collect. */
  readonly left: readonly LeftBehind[];
}

export class NamespaceLog {
  readonly finalized: Finalized[] = [];
  requests = 0;
  readonly #byName = new Map<string, NamespaceState>();
  readonly #kinds = new Map<number, string>();

  constructor(readonly resources: ResourceTable) {}

  /** Takes a final event that succeeded, of anybody. */
  take(event: AuditEvent, life: Life, resource: number, controller: Controller): void {
    if (controller === 'namespace-controller') this.requests += 1;
    if (event.resource === 'namespaces') {
      if (event.subresource === 'finalize' && controller === 'namespace-controller') this.#finalize(event, life);
      return;
    }
    if (event.namespace === '' || event.subresource !== '') return;
    if (event.verb === 'create') this.#create(event, life, resource);
    else if (event.verb === 'delete')
      this.#byName.get(event.namespace)?.objects.get(this.#kind(resource))?.delete(event.name);
    else if (controller === 'namespace-controller') this.#collect(event, resource);
  }

  #create(event: AuditEvent, life: Life, resource: number): void {
    if (event.name === '') return;
    const state = this.#state(event.namespace);
    const kind = this.#kind(resource);
    let objects = state.objects.get(kind);
    if (objects === undefined) {
      objects = new Map();
      state.objects.set(kind, objects);
    }
    if (objects.size < OBJECTS_PER_RESOURCE && !objects.has(event.name)) {
      objects.set(event.name, { life, resource, timeUs: event.timeUs });
    }
  }

  #collect(event: AuditEvent, resource: number): void {
    if (event.verb !== 'deletecollection' && event.verb !== 'list') return;
    const state = this.#state(event.namespace);
    state.collected.add(this.#kind(resource));
    if (event.verb === 'deletecollection') state.collections += 1;
  }

  #finalize(event: AuditEvent, life: Life): void {
    const state = this.#byName.get(event.name);
    this.#byName.delete(event.name);
    // Without any collection in the records the policy leaves them out, and silence proves nothing.
    if (state === undefined || state.collections === 0 || this.finalized.length >= FINALIZED) return;
    const left: LeftBehind[] = [];
    for (const [kind, objects] of state.objects) {
      if (state.collected.has(kind)) continue;
      for (const [name, created] of objects) {
        left.push({ resource: created.resource, name, createdBy: created.life, createdAt: created.timeUs });
      }
    }
    if (left.length === 0) return;
    const { line, offset, timeUs } = event;
    this.finalized.push({ life, namespace: event.name, timeUs, line, offset, quote: quoteEvent(event), left });
  }

  #state(namespace: string): NamespaceState {
    let state = this.#byName.get(namespace);
    if (state === undefined) {
      if (this.#byName.size >= NAMESPACES) this.#byName.delete(this.#byName.keys().next().value ?? '');
      state = { objects: new Map(), collected: new Set(), collections: 0 };
      this.#byName.set(namespace, state);
    }
    return state;
  }

  /** The resource without its version: one storage stands behind all versions, and behind both groups of events. */
  #kind(resource: number): string {
    let kind = this.#kinds.get(resource);
    if (kind === undefined) {
      const name = this.resources.name(resource);
      kind = name.slice(0, name.lastIndexOf('/'));
      if (kind === 'events.events.k8s.io') kind = 'events';
      this.#kinds.set(resource, kind);
    }
    return kind;
  }
}
