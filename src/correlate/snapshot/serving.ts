/** Whether a boot serves a resource itself, and how that is known: requests before documents before tables. */
import { groupVersionOf } from '../../model/resource.js';
import { MINUTE } from '../../model/time.js';
import type { State } from '../cluster-correlator.js';
import type { Outcome } from '../serving/outcomes.js';
import { servedByDefault } from '../serving/version-table.js';
import type { TimeHistogram } from '../time-histogram.js';
import type { ProxiedPair } from './pairs-view.js';
import type { Boot } from './server-view.js';
import type { Servers } from './servers.js';

export type Basis = 'requests' | 'discovery' | 'process-log' | 'version-table' | 'none';

export interface Served {
  /** undefined: no evidence either way. */
  readonly serves: boolean | undefined;
  readonly basis: Basis;
  /** Only its answers say so, and they may be those of a peer. */
  readonly relayable?: true;
}

/** What one boot answered for one resource. */
export interface BootOutcome {
  readonly boot: Boot;
  readonly resource: string;
  readonly outcomes: Outcome[];
}

export class Serving {
  readonly #outcomes = new Map<Boot, Map<string, BootOutcome>>();
  readonly #passedOn = new Map<Boot, Set<string>>();
  readonly #taken = new Map<Boot, Set<string>>();
  readonly #bootOf = new Map<number, Boot>();
  readonly #state: State;
  readonly #known = new Map<Boot, Map<string, Served>>();

  constructor(state: State, servers: Servers, pairs: readonly ProxiedPair[]) {
    this.#state = state;
    for (const server of servers.all)
      for (const boot of server.boots)
        for (const life of boot.lives) if (!life.writer.mixed) this.#bootOf.set(life.id, boot);
    for (const outcome of state.outcomes.all()) {
      const boot = this.#bootOf.get(outcome.life.id);
      if (boot !== undefined) this.#file(boot, state.resources.name(outcome.resource), outcome);
    }
    for (const { total } of pairs) {
      const resource = state.resources.name(total.resource);
      note(this.#passedOn, this.#bootOf.get(total.source.id), resource);
      // A destination that only relayed a 404 of its own unknown types has not shown that it serves the resource.
      if (total.code !== 404 && total.code < 500) note(this.#taken, this.#bootOf.get(total.destination.id), resource);
    }
  }

  bootOf(life: { readonly id: number }): Boot | undefined {
    return this.#bootOf.get(life.id);
  }

  outcomes(): Iterable<BootOutcome> {
    return [...this.#outcomes.values()].flatMap((byResource) => [...byResource.values()]);
  }

  /** Resources that any boot passed on or answered, or that a document names. */
  resources(): Set<string> {
    const all = new Set<string>();
    for (const byResource of this.#outcomes.values()) for (const resource of byResource.keys()) all.add(resource);
    return all;
  }

  passedOn(boot: Boot, resource: string): boolean {
    return this.#passedOn.get(boot)?.has(resource) === true;
  }

  /** When the boot answered 503 or 504 for the resource in the forms that a failed hop leaves. */
  failures(boot: Boot, resource: string): TimeHistogram[] {
    const outcomes = this.#outcomes.get(boot)?.get(resource)?.outcomes ?? [];
    return outcomes.flatMap(({ failed }) => failed?.times ?? []);
  }

  /** Whether the boot's own handlers know the resource. */
  of(boot: Boot, resource: string): Served {
    let known = this.#known.get(boot);
    if (known === undefined) {
      known = new Map();
      this.#known.set(boot, known);
    }
    let served = known.get(resource);
    if (served === undefined) {
      served = this.#judge(boot, resource);
      known.set(resource, served);
    }
    return served;
  }

  /** True between the boot's first and last answer that only a server with the resource gives, and shortly after. */
  answeredAround(boot: Boot, resource: string, timeUs: number): boolean {
    const outcomes = this.#outcomes.get(boot)?.get(resource)?.outcomes ?? [];
    return outcomes.some((o) => o.served > 0 && timeUs >= o.servedFrom && timeUs <= o.servedTo + MINUTE);
  }

  #judge(boot: Boot, resource: string): Served {
    if (this.passedOn(boot, resource)) return { serves: false, basis: 'requests' };
    if (this.#taken.get(boot)?.has(resource) === true) return { serves: true, basis: 'requests' };
    // Who has a resource passes no request for it on.
    const called = boot.lives.some((life) => this.#state.passedOn.of(life, resource) !== undefined);
    const log = called ? false : fromLog(boot, resource);
    if (log === false) return { serves: false, basis: 'process-log' };
    const outcome = this.#outcomes.get(boot)?.get(resource);
    if (outcome?.outcomes.some((o) => o.served > 0) === true)
      return { serves: true, basis: 'requests', relayable: true };
    const documented = fromDocuments(boot, resource);
    if (documented !== undefined) return { serves: documented, basis: 'discovery' };
    if (outcome?.outcomes.some((o) => o.bare !== undefined || o.unknownType !== undefined) === true) {
      return { serves: false, basis: 'requests' };
    }
    if (log === true) return { serves: true, basis: 'process-log' };
    const byDefault = servedByDefault(resource, emulatedVersion(boot));
    return { serves: byDefault, basis: byDefault === undefined ? 'none' : 'version-table' };
  }

  #file(boot: Boot, resource: string, outcome: Outcome): void {
    let byResource = this.#outcomes.get(boot);
    if (byResource === undefined) {
      byResource = new Map();
      this.#outcomes.set(boot, byResource);
    }
    const known = byResource.get(resource);
    if (known === undefined) byResource.set(resource, { boot, resource, outcomes: [outcome] });
    else known.outcomes.push(outcome);
  }
}

function note(map: Map<Boot, Set<string>>, boot: Boot | undefined, resource: string): void {
  if (boot !== undefined) map.set(boot, (map.get(boot) ?? new Set()).add(resource));
}

/** `API group "batch" is not enabled` and `Adding GroupVersion batch v1`; the latter says nothing of single resources. */
function fromLog(boot: Boot, resource: string): boolean | undefined {
  const groupVersion = groupVersionOf(resource);
  const group = groupVersion.includes('/') ? groupVersion.slice(0, groupVersion.indexOf('/')) : '';
  for (const facts of boot.log) {
    if (group !== '' && facts.groupsOff.has(group)) return false;
    if (facts.groupVersionsOn.has(groupVersion)) {
      const byDefault = servedByDefault(resource, emulatedVersion(boot));
      return byDefault === false ? undefined : true;
    }
  }
  return undefined;
}

/** The version whose APIs the boot serves: `--emulated-version` is `1.35` or `kube=1.35`, in a list. */
export function emulatedVersion({ log, version }: Boot): string {
  const flag = log.map(({ flags }) => flags.get('emulated-version')).find((value) => value !== undefined);
  const emulated = /(?:^\[?|[[,]|\bkube=)(1\.\d+)/.exec(flag ?? '')?.[1];
  return emulated === undefined ? version : `v${emulated}.0`;
}

/** Documents are of the end of the records: they speak for the last boot. */
function fromDocuments(boot: Boot, resource: string): boolean | undefined {
  if (boot.server.boots.at(-1) !== boot) return undefined;
  const documents = boot.server.documents.filter((d) => d.nopeer.size > 0);
  if (documents.length === 0) return undefined;
  if (documents.some((d) => d.nopeer.has(resource))) return true;
  // Without the document of the resource's own half (/api or /apis) its absence says nothing.
  const core = !resource.slice(0, resource.lastIndexOf('/')).includes('.');
  const covered = documents.some((d) =>
    [...d.nopeer].some((r) => r.slice(0, r.lastIndexOf('/')).includes('.') !== core),
  );
  return covered ? false : undefined;
}
