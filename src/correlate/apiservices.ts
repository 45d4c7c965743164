/** Servers that create and delete APIServices over loopback: of one version once at the start, of two in a duel. */
import type { AuditEvent } from '../model/record.js';
import { EvidenceSet } from './evidence.js';
import { isBuiltIn } from './serving/version-table.js';
import { TimeHistogram } from './time-histogram.js';
import type { Life } from './writer.js';

const LIMIT = 2_000;
/** As groups that Kubernetes will have are going to be called; custom resources may not be. */
const OWN_GROUP = /^(?:[a-z]*|[a-z]+\.k8s\.io)$/;

/** What one life did to an APIService. */
export class ChurnShare {
  creates = 0;
  deletes = 0;
  readonly times = new TimeHistogram();
  readonly evidence = new EvidenceSet();
}

export class Churn {
  readonly byLife = new Map<Life, ChurnShare>();

  constructor(readonly name: string) {}

  /** Of Kubernetes itself, not of a CustomResourceDefinition. */
  get builtIn(): boolean {
    const dot = this.name.indexOf('.');
    const group = this.name.slice(dot + 1);
    return OWN_GROUP.test(group) || isBuiltIn(`apiservices.${group}/${this.name.slice(0, dot)}`);
  }
}

export class APIServiceLog {
  readonly #byName = new Map<string, Churn>();

  /** Takes a successful loopback create or delete of an APIService. */
  take(event: AuditEvent, life: Life): void {
    let churn = this.#byName.get(event.name);
    if (churn === undefined) {
      if (this.#byName.size >= LIMIT) return;
      churn = new Churn(event.name);
      this.#byName.set(event.name, churn);
    }
    const share = churn.byLife.get(life) ?? new ChurnShare();
    churn.byLife.set(life, share);
    if (event.verb === 'create') share.creates += 1;
    else share.deletes += 1;
    share.times.add(event.timeUs);
    share.evidence.addEvent(event, life.writer.input);
  }

  all(): Iterable<Churn> {
    return this.#byName.values();
  }
}
