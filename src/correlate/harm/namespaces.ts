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
const OBJECTS = 100_000;
const FINALIZED = 1_000;
/** Times that are kept of each thing that may happen again: a namespace of the same name may come back. */
const TIMES = 8;

interface Created {
  readonly life: Life;
  readonly resource: number;
  readonly timeUs: number;
}

interface ObjectTimes {
  readonly creates: Created[];
  readonly deletes: number[];
}

/** Records may come out of their order, where logs are appended to one another; so times are kept and judged later. */
interface NamespaceState {
  /** By resource without version, then by name. */
  readonly objects: Map<string, Map<string, ObjectTimes>>;
  readonly collected: Map<string, number[]>;
  readonly collections: number[];
  readonly finalized: Omit<Finalized, 'left'>[];
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
  requests = 0;
  readonly #byName = new Map<string, NamespaceState>();
  readonly #kinds = new Map<number, string>();
  /** Of namespaces that are no longer kept. */
  readonly #told: Finalized[] = [];
  #objects = 0;

  constructor(readonly resources: ResourceTable) {}

  /** Namespaces that were finalized with objects left in them, as far as the records go. */
  get finalized(): Finalized[] {
    return [...this.#told, ...[...this.#byName.values()].flatMap(judge)].slice(0, FINALIZED);
  }

  /** Takes a final event that succeeded, of anybody. */
  take(event: AuditEvent, life: Life, resource: number, controller: Controller): void {
    if (controller === 'namespace-controller') this.requests += 1;
    if (event.resource === 'namespaces') {
      if (event.subresource === 'finalize' && controller === 'namespace-controller') this.#finalize(event, life);
      return;
    }
    if (event.namespace === '' || event.subresource !== '') return;
    // Every server serves the core group, so nothing of it can be hidden; it is most of what comes and goes.
    if (event.verb === 'create' && event.apiGroup !== '') this.#create(event, life, resource);
    else if (event.verb === 'delete' && event.apiGroup !== '') this.#delete(event, resource);
    else if (controller === 'namespace-controller') this.#collect(event, resource);
  }

  #create(event: AuditEvent, life: Life, resource: number): void {
    const { timeUs } = event;
    const creates = this.#object(event, resource)?.creates;
    if (creates?.every((created) => created.timeUs !== timeUs)) keep(creates, { life, resource, timeUs });
  }

  #delete(event: AuditEvent, resource: number): void {
    const deletes = this.#object(event, resource)?.deletes;
    if (deletes !== undefined) keep(deletes, event.timeUs);
  }

  #collect(event: AuditEvent, resource: number): void {
    if (event.verb !== 'deletecollection' && event.verb !== 'list') return;
    const state = this.#state(event.namespace);
    const kind = this.#kind(resource);
    const times = state.collected.get(kind) ?? [];
    state.collected.set(kind, times);
    keep(times, event.timeUs);
    if (event.verb === 'deletecollection') keep(state.collections, event.timeUs);
  }

  #finalize(event: AuditEvent, life: Life): void {
    const { name: namespace, line, offset, timeUs } = event;
    const { finalized } = this.#state(namespace);
    keep(finalized, { life, namespace, timeUs, line, offset, quote: quoteEvent(event) });
  }

  #object(event: AuditEvent, resource: number): ObjectTimes | undefined {
    if (event.name === '') return undefined;
    if (this.#objects >= OBJECTS) this.#forgetOldest();
    const state = this.#state(event.namespace);
    const kind = this.#kind(resource);
    const objects = state.objects.get(kind) ?? new Map<string, ObjectTimes>();
    state.objects.set(kind, objects);
    const known = objects.get(event.name);
    if (known !== undefined) return known;
    if (objects.size >= OBJECTS_PER_RESOURCE && !this.#forgetDeleted(objects)) return undefined;
    const object = { creates: [], deletes: [] };
    objects.set(event.name, object);
    this.#objects += 1;
    return object;
  }

  /** Makes room for another object where one is gone. */
  #forgetDeleted(objects: Map<string, ObjectTimes>): boolean {
    for (const [name, { creates, deletes }] of objects) {
      if (creates.some(({ timeUs }) => deletes.every((deleted) => deleted < timeUs))) continue;
      this.#objects -= 1;
      return objects.delete(name);
    }
    return false;
  }

  #state(namespace: string): NamespaceState {
    let state = this.#byName.get(namespace);
    if (state === undefined) {
      if (this.#byName.size >= NAMESPACES) this.#forgetOldest();
      state = { objects: new Map(), collected: new Map(), collections: [], finalized: [] };
      this.#byName.set(namespace, state);
    }
    return state;
  }

  #forgetOldest(): void {
    for (const [namespace, state] of this.#byName) {
      if (this.#told.length < FINALIZED) this.#told.push(...judge(state));
      for (const objects of state.objects.values()) this.#objects -= objects.size;
      this.#byName.delete(namespace);
      return;
    }
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

function keep<T>(list: T[], entry: T): void {
  list.push(entry);
  if (list.length > TIMES) list.shift();
}

/** For each end of the namespace, what was made since the end before and neither deleted nor collected. */
function judge(state: NamespaceState): Finalized[] {
  let since = Number.NEGATIVE_INFINITY;
  return [...state.finalized]
    .sort((a, b) => a.timeUs - b.timeUs)
    .flatMap((end) => {
      const within = (timeUs: number) => timeUs > since && timeUs <= end.timeUs;
      // Without any collection in the records the policy leaves them out, and silence proves nothing.
      const left = state.collections.some(within) ? leftBehind(state, within) : [];
      since = end.timeUs;
      return left.length === 0 ? [] : [{ ...end, left }];
    });
}

function leftBehind(state: NamespaceState, within: (timeUs: number) => boolean): LeftBehind[] {
  const left: LeftBehind[] = [];
  for (const [kind, objects] of state.objects) {
    if (state.collected.get(kind)?.some(within) === true) continue;
    for (const [name, { creates, deletes }] of objects) {
      const made = creates.filter(({ timeUs }) => within(timeUs)).sort((a, b) => b.timeUs - a.timeUs)[0];
      if (made === undefined || deletes.some((timeUs) => within(timeUs) && timeUs >= made.timeUs)) continue;
      left.push({ resource: made.resource, name, createdBy: made.life, createdAt: made.timeUs });
    }
  }
  return left;
}
