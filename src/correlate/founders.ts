/**
 * Which servers made the namespace kube-system. Nobody can delete it, so it is made once in the life of a storage: two
 * servers that both made it have two.
 */
import type { AuditEvent } from '../model/record.js';
import { EvidenceSet } from './evidence.js';
import type { Life } from './writer.js';

const LIMIT = 1_000;

export interface Founding {
  readonly timeUs: number;
  readonly evidence: EvidenceSet;
}

export class Founders {
  readonly #byLife = new Map<Life, Founding>();

  /** Takes what a server asked of itself over loopback, and was answered. */
  take(event: AuditEvent, life: Life): void {
    if (
      event.verb !== 'create' ||
      event.code !== 201 ||
      event.resource !== 'namespaces' ||
      event.name !== 'kube-system'
    )
      return;
    if (this.#byLife.has(life) || this.#byLife.size >= LIMIT) return;
    const evidence = new EvidenceSet(1);
    evidence.addEvent(event, life.writer.input);
    this.#byLife.set(life, { timeUs: event.timeUs, evidence });
  }

  all(): Iterable<readonly [Life, Founding]> {
    return this.#byLife;
  }
}
