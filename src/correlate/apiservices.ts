/** Servers that create and delete APIServices over loopback: of one version once at the start, of two in a duel. */
import type { AuditEvent } from '../model/record.js';
import { EvidenceSet } from './evidence.js';
import { isBuiltIn } from './serving/version-table.js';
import { TimeHistogram } from './time-histogram.js';
import type { Life } from './writer.js';

const LIMIT = 2_000;
/** As groups that Kubernetes will have are going to be called; custom resources may not be. */
const OWN_GROUP = /^(?:[a-z]*|[a-z]+\.k8s\.io)$/;

export class Churn {
  readonly creates = new Map<Life, number>();
  readonly deletes = new Map<Life, number>();
  readonly times = new TimeHistogram();
  readonly evidence = new EvidenceSet();

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
    const counts = event.verb === 'create' ? churn.creates : churn.deletes;
    counts.set(life, (counts.get(life) ?? 0) + 1);
    churn.times.add(event.timeUs);
    churn.evidence.addEvent(event, life.writer.input);
  }

  all(): Iterable<Churn> {
    return this.#byName.values();
  }
}
